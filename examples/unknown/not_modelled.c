// Jumps out of a function are not modelled.
#include <assert.h>
#include <setjmp.h>

static jmp_buf before;

int main(void) {
    if (setjmp(before) == 0)
        longjmp(before, 1);
    assert(1);
    return 0;
}
