// gnomon: false memory
// The variable that leads to the object is overwritten.
#include <stdlib.h>

int *kept;

int main(void)
{
    kept = malloc(sizeof *kept);
    kept = 0;
    return 0;
}
