// gnomon: true
// Effects that nobody else sees can come in any order.
#include <string.h>
extern void reach_error(void);

static int m[3] = {1, 2, 3};
static int square(int x)
{
    int y = x * x;
    return y;
}
static int one(void) { return 1; }
int main(void)
{
    int r = m[square(1)] + ({ int y = 4; y; }) * one() + (int)strlen("ab");
    if (r != 2 + 4 + 2)
        reach_error();
    return 0;
}
