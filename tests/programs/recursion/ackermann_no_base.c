// gnomon: false
// Ackermann's function with a missing case goes below zero.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

static int ackermann(int m, int n)
{
    if (m <= 0 || n < 0)
        return n + 1;
    return ackermann(m - 1, ackermann(m, n - 1) - 1);
}

int main(void)
{
    int m = __VERIFIER_nondet_int();
    int n = __VERIFIER_nondet_int();
    if (m < 0 || m > 2 || n < 0 || n > 3)
        return 0;
    if (ackermann(m, n) <= n)
        __VERIFIER_error();
    return 0;
}
