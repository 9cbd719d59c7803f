// gnomon: true
// The exclusive-or swap is right when aliasing is ruled out first.
extern unsigned int __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void xor_swap(unsigned *a, unsigned *b)
{
    if (a == b)
        return;
    *a ^= *b;
    *b ^= *a;
    *a ^= *b;
}

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    unsigned y = __VERIFIER_nondet_uint();
    unsigned x0 = x, y0 = y;
    unsigned *p = &x;
    unsigned *q = __VERIFIER_nondet_int() ? &x : &y;
    xor_swap(p, q);
    if (q == &x) {
        if (x != x0 || y != y0)
            reach_error();
    } else if (x != y0 || y != x0) {
        reach_error();
    }
    return 0;
}
