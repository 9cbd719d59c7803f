// gnomon: unknown
// A number is read to where nothing is.
#include <stdio.h>
int main(void)
{
    return sscanf("1", "%d", (int *)0);
}
