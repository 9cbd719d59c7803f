// gnomon: true access,free
// The pointer that was given is freed, not the one that walked.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    char *p = malloc(8), *q = p;
    for (int i = 0; i < 8; i++)
        *q++ = 1;
    free(p);
    return 0;
}
