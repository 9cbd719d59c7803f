// The middle of two numbers, as binary searches compute it: is it between them?
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int midpoint(int low, int high) {
    return (low + high) / 2;
}

int main(void) {
    int low = __VERIFIER_nondet_int();
    int high = __VERIFIER_nondet_int();
    if (0 <= low && low <= high) {
        int middle = midpoint(low, high);
        assert(low <= middle && middle <= high);
    }
    return 0;
}
