// gnomon: true
// The loop counter is incremented through a pointer; the bound is reached exactly.
extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    int i = 0;
    int *p = &i;
    while (*p < n)
        *p = *p + 1;
    if (i != n)
        __assert_fail("i == n", "loop.c", 1, "main");
    return 0;
}
