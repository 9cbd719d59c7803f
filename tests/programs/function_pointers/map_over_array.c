// gnomon: true
// Applying a function to all elements keeps a bound that both functions respect.
extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

static int halve(int x) { return x / 2; }
static int wrap(int x) { return x % 10; }

static void map(int *a, int n, int (*f)(int))
{
    for (int i = 0; i < n; i++)
        a[i] = f(a[i]);
}

int main(void)
{
    int a[3];
    for (int i = 0; i < 3; i++) {
        a[i] = __VERIFIER_nondet_int();
        if (a[i] < 0 || a[i] > 18)
            return 0;
    }
    map(a, 3, __VERIFIER_nondet_int() ? halve : wrap);
    for (int i = 0; i < 3; i++)
        if (a[i] < 0 || a[i] > 9)
            __assert_fail("0 <= a[i] <= 9", "map.c", 1, "main");
    return 0;
}
