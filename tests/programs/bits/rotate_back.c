// gnomon: true
// Rotating left and then right by the same amount restores the word.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static unsigned rotate_left(unsigned x, unsigned n)
{
    return (x << n) | (x >> (32 - n));
}

static unsigned rotate_right(unsigned x, unsigned n)
{
    return (x >> n) | (x << (32 - n));
}

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    unsigned n = __VERIFIER_nondet_uint();
    if (n < 1 || n > 31)
        return 0;
    if (rotate_right(rotate_left(x, n), n) != x)
        reach_error();
    return 0;
}
