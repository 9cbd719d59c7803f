// gnomon: false
// The greatest common divisor of some pair is twelve.
// inputs: 24 36
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static unsigned gcd(unsigned a, unsigned b)
{
    return b == 0 ? a : gcd(b, a % b);
}

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint();
    unsigned b = __VERIFIER_nondet_uint();
    if (a > 40 || b > 40 || a == b || a == 0 || b == 0)
        return 0;
    if (gcd(a, b) == 12)
        reach_error();
    return 0;
}
