// gnomon: true
// Neighbouring Gray codes differ in exactly one bit.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n >= 255)
        return 0;
    unsigned a = n ^ (n >> 1);
    unsigned b = (n + 1) ^ ((n + 1) >> 1);
    unsigned d = a ^ b;
    if (d == 0 || (d & (d - 1)) != 0)
        __assert_fail("one bit", "gray.c", 1, "main");
    return 0;
}
