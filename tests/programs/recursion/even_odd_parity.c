// gnomon: true
// The recursive parity agrees with the remainder.
// slow: not decided by 20 million units of work
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int is_odd(unsigned n);

static int is_even(unsigned n)
{
    return n == 0 ? 1 : is_odd(n - 1);
}

static int is_odd(unsigned n)
{
    return n == 0 ? 0 : is_even(n - 1);
}

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint() % 5000;
    if (is_even(n) != (n % 2 == 0))
        reach_error();
    return 0;
}
