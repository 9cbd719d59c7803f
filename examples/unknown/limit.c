// The sum of cubes is the square of the sum: true, and hard to prove of bits.
#include <assert.h>

extern unsigned __VERIFIER_nondet_uint(void);

int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), sum = 0, cubes = 0;
    for (unsigned i = 0; i < n; i++) {
        sum += i;
        cubes += i * i * i;
    }
    assert(cubes == sum * sum);
    return 0;
}
