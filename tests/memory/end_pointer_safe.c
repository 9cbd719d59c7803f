// gnomon: true
// A block is filled from its beginning to its end.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    int n = __VERIFIER_nondet_uchar() % 4 + 1;
    int *a = malloc(n * sizeof *a), *end = a + n;
    for (int *p = a; p != end; p++)
        *p = 0;
    free(a);
    return 0;
}
