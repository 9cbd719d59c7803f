// gnomon: true
// A callee that writes through one pointer leaves the variable behind the other alone.
extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

static void store(int *target, const int *source)
{
    *target = *source + 1;
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = 0;
    if (a > 1000)
        return 0;
    int before = a;
    store(&b, &a);
    if (!(a == before && b == a + 1))
        __assert_fail("a == before && b == a + 1", "store.c", 1, "main");
    return 0;
}
