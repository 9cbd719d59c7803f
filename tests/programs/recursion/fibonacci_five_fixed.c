// gnomon: true
// The Fibonacci number with index five is five.
#include <assert.h>

static int fibonacci(int n)
{
    if (n < 2)
        return n;
    return fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
    assert(fibonacci(5) == 5);
    return 0;
}
