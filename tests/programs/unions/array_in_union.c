// gnomon: true
// An array and a struct share memory; writing all of the array defines all of the struct.
extern short __VERIFIER_nondet_short(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

union block {
    short cells[4];
    struct {
        short a, b, c, d;
    } named;
};

int main(void)
{
    union block k;
    short v[4];
    for (int i = 0; i < 4; i++) {
        v[i] = __VERIFIER_nondet_short();
        k.cells[i] = v[i];
    }
    if (k.named.a != v[0] || k.named.d != v[3])
        __assert_fail("first and last", "block.c", 1, "main");
    k.named.b = 7;
    if (k.cells[1] != 7 || k.cells[2] != v[2])
        __assert_fail("middle", "block.c", 2, "main");
    return 0;
}
