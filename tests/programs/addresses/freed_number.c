// gnomon: unknown
// An address that was freed may be given out again.
#include <stdlib.h>
extern void reach_error(void);

int main(void)
{
    char *p = malloc(10);
    unsigned long old = (unsigned long)p;
    free(p);
    char *q = malloc(10);
    if (old == (unsigned long)q)
        reach_error();
    free(q);
    return 0;
}
