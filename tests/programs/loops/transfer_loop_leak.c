// gnomon: false
// The move back forgets to give the unit to the first pile.
extern unsigned int __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint() % 100, b = __VERIFIER_nondet_uint() % 100;
    unsigned total = a + b;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int() && a > 0) {
            a--;
            b++;
        } else if (b > 3) {
            b--;
        }
    }
    if (a + b != total)
        reach_error();
    return 0;
}
