// gnomon: false
// Two functions use the same scratch variable and disturb one another.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

static int scratch;

static int square_sum(int n)
{
    scratch = 0;
    for (int i = 1; i <= n; i++)
        scratch += i * i;
    return scratch;
}

static int weighted(int n)
{
    scratch = n;
    int s = square_sum(2);
    return s * scratch;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100)
        return 0;
    if (weighted(n) != 5 * n)
        __VERIFIER_error();
    return 0;
}
