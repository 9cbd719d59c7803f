// gnomon: false
// The exponentiation by squaring forgets the odd factor.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static unsigned power(unsigned base, unsigned exponent)
{
    if (exponent == 0)
        return 1;
    unsigned half = power(base, exponent / 2);
    return half * half;
}

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint() % 16;
    if (power(2, n) != 1u << n)
        reach_error();
    return 0;
}
