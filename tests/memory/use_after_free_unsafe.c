// gnomon: false memory
// What was freed is read if an input says so.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = __VERIFIER_nondet_int();
    int early = __VERIFIER_nondet_int();
    if (early == 4711)
        free(p);
    int kept = *p;
    if (early != 4711)
        free(p);
    return kept == 3;
}
