// gnomon: true
// The sum of two parts stays constant under an assumption on the inputs.
extern long __VERIFIER_nondet_long(void);
extern void __VERIFIER_assume(int);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

int main(void)
{
    long total = __VERIFIER_nondet_long();
    __VERIFIER_assume(total >= 0 && total <= 1000000000L);
    long left = total, moved = 0;
    while (left > 0) {
        long part = __VERIFIER_nondet_long();
        __VERIFIER_assume(part > 0 && part <= left);
        left -= part;
        moved += part;
    }
    if (moved != total)
        __assert_fail("moved == total", "move.c", 1, "main");
    return 0;
}
