// The program changes how floating-point numbers are rounded.
#include <assert.h>
#include <fenv.h>

extern double __VERIFIER_nondet_double(void);

int main(void) {
    double x = __VERIFIER_nondet_double();
    fesetround(FE_UPWARD);
    if (x > 0 && x < 1)
        assert(x + 1.0 != 2.0);
    return 0;
}
