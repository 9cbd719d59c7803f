// gnomon: unknown
// A pointer that was freed is compared with a newer one, which may be the same (C17 6.2.4p2).
#include <assert.h>
#include <stdlib.h>
int main(void)
{
    char *p = malloc(10);
    free(p);
    char *q = malloc(10);
    assert(p != q);
    free(q);
    return 0;
}
