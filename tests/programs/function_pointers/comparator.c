// gnomon: true
// Sorting three values with a comparator given as a pointer: ascending or descending.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int ascending(int a, int b) { return a > b; }
static int descending(int a, int b) { return a < b; }

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
    int up = __VERIFIER_nondet_int();
    int (*wrong)(int, int) = up ? ascending : descending;
    order(&x, &y, wrong);
    order(&y, &z, wrong);
    order(&x, &y, wrong);
    if (up && (x > y || y > z))
        reach_error();
    if (!up && (x < y || y < z))
        reach_error();
    return 0;
}
