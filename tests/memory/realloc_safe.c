// gnomon: true access,free
// The array grows before more is written.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    int *a = malloc(4 * sizeof *a);
    a[3] = __VERIFIER_nondet_int();
    a = realloc(a, 8 * sizeof *a);
    a[7] = 1;
    free(a);
    return 0;
}
