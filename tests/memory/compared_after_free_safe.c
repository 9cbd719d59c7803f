// gnomon: true
// Pointers are compared as long as both objects live.
#include <assert.h>
#include <stdlib.h>
int main(void)
{
    char *p = malloc(10);
    char *q = malloc(10);
    assert(p != q);
    free(p);
    free(q);
    return 0;
}
