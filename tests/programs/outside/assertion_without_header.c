// gnomon: true
// `assert` without its header is an assertion, also of pointers and fractions.
extern int __VERIFIER_nondet_int(void);
extern void assert();

int main(void)
{
    int x = __VERIFIER_nondet_int();
    double half = 0.5;
    assert(&x);
    assert(half);
    assert((x & 1) < 2);
    return 0;
}
