// gnomon: true memory
// What is freed is not used again.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    int *p = malloc(sizeof *p);
    *p = __VERIFIER_nondet_int();
    int kept = *p;
    free(p);
    return kept == 3;
}
