// gnomon: false
// The callee redirects only its copy of the pointer, so the caller writes to the old target.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int small = 1, large = 1000;

static void choose(int *slot, int want_large)
{
    if (want_large)
        slot = &large;
    *slot += 1;
}

int main(void)
{
    int *p = &small;
    int w = __VERIFIER_nondet_int();
    choose(p, w);
    *p += 1;
    if (small + large != 1003)
        return 1;
    if (w && large != 1002)
        reach_error();
    return 0;
}
