// gnomon: false
// The error function itself is registered with atexit.
#include <stdlib.h>
extern void reach_error(void);

int main(void)
{
    atexit(reach_error);
    return 0;
}
