// gnomon: false
// The second result of a function of `math.h` has no place.
#include <math.h>
int main(void)
{
    return modf(2.5, (double *)0) > 0;
}
