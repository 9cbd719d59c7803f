// gnomon: true
// known-failing: which numbers follow a seed is not modelled
// Equal seeds give equal numbers.
#include <stdlib.h>
extern void reach_error(void);

int main(void)
{
    srand(4);
    int first = rand();
    srand(4);
    if (rand() != first)
        reach_error();
    return 0;
}
