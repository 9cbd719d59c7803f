// gnomon: false access,free
// The old array is used after it has grown elsewhere.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    int *a = malloc(4 * sizeof *a);
    a[3] = __VERIFIER_nondet_int();
    int *b = realloc(a, 8 * sizeof *a);
    int x = a[3];
    free(b);
    return x == 1;
}
