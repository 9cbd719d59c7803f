// gnomon: false
// The recursion stops at twenty and gives less than its argument above.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int identity(int n)
{
    if (n == 0)
        return 0;
    int r = identity(n - 1);
    return r < 20 ? r + 1 : r;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 30)
        return 0;
    if (identity(n) != n)
        reach_error();
    return 0;
}
