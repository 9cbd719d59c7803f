// The middle of two numbers, computed so that no sum can overflow.
#include <assert.h>

extern int __VERIFIER_nondet_int(void);

static int midpoint(int low, int high) {
    return low + (high - low) / 2;
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
