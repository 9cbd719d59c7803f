// gnomon: true
// The absolute value of a number in a sane range is not negative.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < -1000000 || x > 1000000)
        return 0;
    int a = x < 0 ? -x : x;
    if (a < 0)
        reach_error();
    if (a != x && a != -x)
        reach_error();
    return 0;
}
