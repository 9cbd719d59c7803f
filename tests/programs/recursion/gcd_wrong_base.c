// gnomon: false
// With a wrong base case the greatest common divisor of some pairs is zero.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_error(void);

static unsigned gcd(unsigned a, unsigned b)
{
    if (a == 0 || b == 0)
        return 0;
    if (a == b)
        return a;
    return a > b ? gcd(a % b, b) : gcd(a, b % a);
}

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint();
    unsigned b = __VERIFIER_nondet_uint();
    if (a == 0 || b == 0)
        return 0;
    if (gcd(a, b) == 0)
        __VERIFIER_error();
    return 0;
}
