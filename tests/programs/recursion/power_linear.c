// gnomon: true
// A power of two by doubling a recursive result is positive.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_error(void);

static unsigned power_of_two(unsigned n)
{
    if (n == 0)
        return 1;
    return 2 * power_of_two(n - 1);
}

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 20)
        return 0;
    if (power_of_two(n) == 0)
        __VERIFIER_error();
    return 0;
}
