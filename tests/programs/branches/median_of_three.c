// gnomon: true
// The median of three lies between minimum and maximum.
extern int __VERIFIER_nondet_int(void);
#include <assert.h>

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    int m;
    if (a <= b) {
        if (b <= c)
            m = b;
        else
            m = a <= c ? c : a;
    } else {
        if (a <= c)
            m = a;
        else
            m = b <= c ? c : b;
    }
    assert((m >= a) + (m >= b) + (m >= c) >= 2);
    assert((m <= a) + (m <= b) + (m <= c) >= 2);
    return 0;
}
