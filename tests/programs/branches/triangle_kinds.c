// gnomon: true
// The classification of triangles is consistent.
extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    if (a < 1 || b < 1 || c < 1 || a > 10000 || b > 10000 || c > 10000)
        return 0;
    int kind;
    if (a + b <= c || a + c <= b || b + c <= a)
        kind = 0;
    else if (a == b && b == c)
        kind = 3;
    else if (a == b || b == c || a == c)
        kind = 2;
    else
        kind = 1;
    if (kind == 3 && a != c)
        __assert_fail("a == c", "triangle.c", 1, "main");
    if (kind == 0 && a == b && b == c)
        __assert_fail("not degenerate", "triangle.c", 2, "main");
    return 0;
}
