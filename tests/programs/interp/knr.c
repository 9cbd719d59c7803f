// gnomon: run 0
#include <stdio.h>
static int add(a, b) int a; int b; { return a + b; }
static double half(x) float x; { return x / 2; }
static char low(c) char c; { return c | 32; }
static int none() { return 5; }
int main(void)
{
    printf("%d %g %c %d\n", add(2, 3), half(5.0f), low('Q'), none());
    return 0;
}
