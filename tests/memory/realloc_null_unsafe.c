// gnomon: false access,free
// An array begins with nothing, and is written before it grows.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    int *a = NULL;
    a = realloc(a, sizeof *a);
    a[0] = __VERIFIER_nondet_int();
    if (__VERIFIER_nondet_int()) {
        a[1] = __VERIFIER_nondet_int();
        a = realloc(a, 2 * sizeof *a);
    }
    free(a);
    return 0;
}
