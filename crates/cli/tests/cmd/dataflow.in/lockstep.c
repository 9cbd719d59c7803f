// gnomon: true
// Two counters that a loop moves together: b = 3*a + 1.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a = 0, b = 1;
    while (__VERIFIER_nondet_int() && a < 1000) {
        a++;
        b += 3;
    }
    if (b != 3 * a + 1)
        reach_error();
    return 0;
}
