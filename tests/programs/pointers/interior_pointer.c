// gnomon: false
// A pointer into the middle of an array is taken for its start.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

static int sum(const int *a, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}

int main(void)
{
    int a[6] = {1, 1, 1, 1, 1, 10};
    int skip = __VERIFIER_nondet_int();
    if (skip < 0 || skip > 2)
        return 0;
    if (sum(a + skip, 4) != 4)
        __VERIFIER_error();
    return 0;
}
