// gnomon: false memory
// The object is not freed on one way.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = __VERIFIER_nondet_int();
    if (*p == 5)
        return 1;
    free(p);
    return 0;
}
