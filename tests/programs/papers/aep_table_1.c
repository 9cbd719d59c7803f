// gnomon: false
// Abstract Error Projection, Table 1: bar is called with one positive and two negative elements.
extern int __VERIFIER_nondet_int(void);
#include <assert.h>

static int complex(int i)
{
    int steps = 0;
    while (i > 1 && steps < 100) {
        i = i % 2 == 0 ? i / 2 : i - 1;
        steps++;
    }
    return steps;
}

static int foo(int i)
{
    assert(i > 0);
    i = complex(i);
    return i;
}

static int f(int len, int *arr)
{
    (void)arr;
    return __VERIFIER_nondet_int() ? len : 1;
}

static int bar(int len, int *arr)
{
    int r = 0;
    switch (f(len, arr)) {
    case 3:
        r += foo(arr[2]);
        /* fall through */
    case 2:
        r += foo(arr[1]);
        /* fall through */
    case 1:
        r += foo(arr[0]);
    }
    return r;
}

int main(void)
{
    int arr[3] = {1, -1, -2};
    return bar(3, arr) < 0;
}
