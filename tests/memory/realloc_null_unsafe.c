// gnomon: false access,free
// An array grows from nothing, and is written before it grows.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    int *a = NULL, n = 0;
    while (n < 3) {
        a = realloc(a, (n + 1) * sizeof *a);
        n++;
        a[n] = __VERIFIER_nondet_int();
    }
    free(a);
    return 0;
}
