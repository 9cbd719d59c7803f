extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned, const char *);

int main(void) {
    int a[4] = {0, 0, 0, 0}, *p = a;
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 4)
        return 0;
    p[i] = 1;
    if (i > 4)
        __assert_fail("i <= 4", "store.c", 12, "main");
    return 0;
}
