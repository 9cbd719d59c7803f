// gnomon: false
// Two compare-and-swap steps are not enough to sort three values.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int ascending(int a, int b) { return a > b; }

static void order(int *a, int *b, int (*wrong)(int, int))
{
    if (wrong(*a, *b)) {
        int t = *a;
        *a = *b;
        *b = t;
    }
}

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(), z = __VERIFIER_nondet_int();
    order(&x, &y, ascending);
    order(&y, &z, ascending);
    if (x > y || y > z)
        reach_error();
    return 0;
}
