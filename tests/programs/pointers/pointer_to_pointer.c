// gnomon: true
// A function redirects its caller's pointer through a pointer to pointer.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int small = 1, large = 1000;

static void choose(int **slot, int want_large)
{
    if (want_large)
        *slot = &large;
    else
        *slot = &small;
}

int main(void)
{
    int *p = 0;
    int w = __VERIFIER_nondet_int();
    choose(&p, w);
    if (p == 0)
        reach_error();
    *p += 1;
    if (w && large != 1001)
        reach_error();
    if (!w && (large != 1000 || small != 2))
        reach_error();
    return 0;
}
