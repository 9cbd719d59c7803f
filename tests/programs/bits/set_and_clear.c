// gnomon: true
// Setting a bit and clearing it again leaves the other bits alone.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned flags = __VERIFIER_nondet_uint();
    unsigned n = __VERIFIER_nondet_uint() % 32;
    unsigned set = flags | (1u << n);
    unsigned cleared = set & ~(1u << n);
    if (!(set >> n & 1))
        reach_error();
    if ((cleared ^ flags) & ~(1u << n))
        reach_error();
    return 0;
}
