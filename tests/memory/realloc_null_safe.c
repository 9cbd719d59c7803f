// gnomon: true access,free
// An array grows from nothing, one by one.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    int *a = NULL, n = 0;
    while (n < 3) {
        a = realloc(a, (n + 1) * sizeof *a);
        a[n] = __VERIFIER_nondet_int();
        n++;
    }
    free(a);
    return 0;
}
