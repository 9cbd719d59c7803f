// gnomon: true
// Two equations have no solution in whole numbers.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    if (x < -100 || x > 100 || y < -100 || y > 100)
        return 0;
    if (3 * x + 2 * y == 34 && x - y == 4)
        reach_error();
    return 0;
}
