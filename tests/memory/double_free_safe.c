// gnomon: true memory
// Each of two branches frees once.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    char *p = malloc(8);
    int x = __VERIFIER_nondet_int();
    if (x > 0)
        free(p);
    if (x <= 0)
        free(p);
    return 0;
}
