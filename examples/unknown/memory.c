// The table comes from a library, so nobody knows how long it is.
#include <assert.h>

extern int *table(void);

int main(void) {
    int *values = table();
    int n = values[3];
    assert(n == n);
    return 0;
}
