// gnomon: false
// A negative long compared with an unsigned int keeps its sign, one compared with an unsigned long does not.
extern long __VERIFIER_nondet_long(void);
extern unsigned long __VERIFIER_nondet_ulong(void);
extern void __VERIFIER_error(void);

int main(void)
{
    long balance = __VERIFIER_nondet_long();
    unsigned int small = 10;
    unsigned long large = 10;
    if (balance < small && !(balance < large))
        __VERIFIER_error();
    return 0;
}
