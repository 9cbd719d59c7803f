// gnomon: false access,free
// A local variable is freed.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    int local = 1, *p = &local;
    int *q = malloc(sizeof *q);
    if (__VERIFIER_nondet_int())
        p = q;
    *p = 2;
    free(p);
    return 0;
}
