// C does not say which of the two calls comes first.
#include <assert.h>

static int last;

static int set(int n) {
    last = n;
    return n;
}

static int sum(int a, int b) {
    return a + b;
}

int main(void) {
    assert(sum(set(1), set(2)) == 3);
    assert(last == 2);
    return 0;
}
