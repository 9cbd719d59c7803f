// gnomon: false
// The second counter skips one step, after seven rounds.
extern int __VERIFIER_nondet_int(void);
#include <assert.h>

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int i = 0, j = 0;
    while (i < n) {
        i++;
        if (i != 7)
            j++;
    }
    assert(i == j);
    return 0;
}
