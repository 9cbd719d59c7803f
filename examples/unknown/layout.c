// Which of two variables lies first in memory is the compiler's choice.
#include <assert.h>
#include <stdint.h>

static int a, b;

int main(void) {
    int first = 0;
    if ((uintptr_t)&a < (uintptr_t)&b)
        first = 1;
    assert(first == 0 || first == 1);
    return 0;
}
