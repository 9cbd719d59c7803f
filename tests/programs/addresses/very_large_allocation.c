// gnomon: unknown
// Most machines give more than a gigabyte.
#include <stdlib.h>
extern void reach_error(void);

int main(void)
{
    char *p = malloc(2UL << 30);
    if (p)
        reach_error();
    free(p);
    return 0;
}
