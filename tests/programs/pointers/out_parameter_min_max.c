// gnomon: true
// Minimum and maximum through out parameters enclose each of three inputs.
extern int __VERIFIER_nondet_int(void);
#include <assert.h>

static void bounds(int a, int b, int c, int *low, int *high)
{
    *low = a;
    *high = a;
    if (b < *low)
        *low = b;
    if (b > *high)
        *high = b;
    if (c < *low)
        *low = c;
    if (c > *high)
        *high = c;
}

int main(void)
{
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int c = __VERIFIER_nondet_int();
    int lo, hi;
    bounds(a, b, c, &lo, &hi);
    assert(lo <= a && a <= hi);
    assert(lo <= b && b <= hi);
    assert(lo <= c && c <= hi);
    return 0;
}
