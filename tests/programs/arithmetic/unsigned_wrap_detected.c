// gnomon: true
// The test for wrap-around of an unsigned sum is right: the sum is smaller than an operand.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint();
    unsigned b = __VERIFIER_nondet_uint();
    unsigned s = a + b;
    int wrapped = s < a;
    unsigned long wide = (unsigned long)a + b;
    if (wrapped != (wide > 0xffffffffUL))
        reach_error();
    return 0;
}
