// gnomon: true
// The greatest common divisor by recursion is positive when one argument is.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static unsigned gcd(unsigned a, unsigned b)
{
    if (b == 0)
        return a;
    return gcd(b, a % b);
}

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint();
    unsigned b = __VERIFIER_nondet_uint();
    if (a == 0)
        return 0;
    if (gcd(a, b) == 0)
        reach_error();
    return 0;
}
