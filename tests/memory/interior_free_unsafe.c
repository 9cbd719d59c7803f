// gnomon: false access,free
// The pointer that walked is freed.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    char *p = malloc(8);
    for (int i = 0; i < 3; i++)
        *p++ = 1;
    free(p);
    return 0;
}
