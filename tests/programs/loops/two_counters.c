// gnomon: true
// Two counters that move together stay equal.
extern int __VERIFIER_nondet_int(void);
#include <assert.h>

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int i = 0, j = 0;
    while (i < n) {
        i++;
        j++;
    }
    assert(i == j);
    return 0;
}
