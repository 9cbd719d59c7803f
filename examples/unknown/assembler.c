// What the instruction stores is not known.
#include <assert.h>

int main(void) {
    int flags;
    __asm__("pushf; pop %0" : "=r"(flags));
    assert(flags != 7);
    return 0;
}
