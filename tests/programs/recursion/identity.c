// gnomon: true
// Counting up by recursion gives the argument back.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int identity(int n)
{
    if (n == 0)
        return 0;
    return identity(n - 1) + 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 10000)
        return 0;
    if (identity(n) != n)
        reach_error();
    return 0;
}
