// gnomon: false
// Both out parameters are the same variable, so the minimum is overwritten by the maximum.
extern int __VERIFIER_nondet_int(void);
#include <assert.h>

static void bounds(int a, int b, int *low, int *high)
{
    *low = a < b ? a : b;
    *high = a < b ? b : a;
}

int main(void)
{
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int r;
    bounds(a, b, &r, &r);
    assert(r <= a && r <= b);
    return 0;
}
