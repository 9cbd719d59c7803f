// gnomon: true
// A saturating addition never goes below its first operand.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

static unsigned saturating_add(unsigned a, unsigned b)
{
    unsigned s = a + b;
    if (s < a)
        s = 0xffffffffu;
    return s;
}

int main(void)
{
    unsigned total = 0, last = 0;
    unsigned n = __VERIFIER_nondet_uint();
    while (n > 0) {
        last = total;
        total = saturating_add(total, __VERIFIER_nondet_uint());
        if (total < last)
            __assert_fail("total >= last", "saturate.c", 1, "main");
        n--;
    }
    return 0;
}
