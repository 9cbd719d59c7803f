// gnomon: true access,free
// The old pointer is not used any more when the object may have moved.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

int main(void)
{
    char *old = malloc(8);
    old[0] = 1;
    char *new = realloc(old, 64);
    new[63] = 2;
    free(new);
    return 0;
}
