// gnomon: true
// A write through one of two equal pointers is seen through the other.
extern int __VERIFIER_nondet_int(void);
#include <assert.h>

int main(void)
{
    int value = __VERIFIER_nondet_int();
    int *p = &value;
    int *q = p;
    *p = 17;
    assert(*q == 17);
    (*q)++;
    assert(value == 18);
    return 0;
}
