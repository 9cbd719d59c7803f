// The same with an order that is written down.
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
    int first = set(1);
    int second = set(2);
    assert(sum(first, second) == 3);
    assert(last == 2);
    return 0;
}
