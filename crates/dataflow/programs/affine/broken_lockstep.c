// gnomon: false
// One way through the loop forgets a counter.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a = 0, b = 0;
    while (a < 100 && __VERIFIER_nondet_int()) {
        a++;
        if (a != 5)
            b += 2;
    }
    if (b != 2 * a)
        reach_error();
    return 0;
}
