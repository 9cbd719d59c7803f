// gnomon: true
// The number of binary digits by recursion lies between one and sixteen.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_error(void);

static int digits(unsigned n)
{
    if (n < 2)
        return 1;
    return 1 + digits(n / 2);
}

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint() & 0xffff;
    int d = digits(n);
    if (d < 1 || d > 16)
        __VERIFIER_error();
    return 0;
}
