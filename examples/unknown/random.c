// Equal seeds give equal numbers, whatever the numbers are.
#include <assert.h>
#include <stdlib.h>

int main(void) {
    srand(7);
    int first = rand();
    srand(7);
    int second = rand();
    assert(first == second);
    return 0;
}
