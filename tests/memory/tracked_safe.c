// gnomon: true memory
// At the end a static variable still leads to the object.
#include <stdlib.h>

int *kept;

int main(void)
{
    kept = malloc(sizeof *kept);
    *kept = 1;
    return 0;
}
