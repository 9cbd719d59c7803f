// gnomon: true
// Reversing the bytes of a word twice is the identity.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static unsigned reverse(unsigned x)
{
    return (x << 24) | ((x & 0xff00u) << 8) | ((x >> 8) & 0xff00u) | (x >> 24);
}

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    if (reverse(reverse(x)) != x)
        reach_error();
    if ((reverse(x) & 0xff) != x >> 24)
        reach_error();
    return 0;
}
