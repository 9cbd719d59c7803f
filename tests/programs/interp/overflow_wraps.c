// gnomon: run 0
#include <stdio.h>
#include <limits.h>
int main(void)
{
    volatile int m = INT_MAX, n = INT_MIN, one = 1;
    printf("%d %d %d\n", (int)((unsigned)m + one), (int)((unsigned)n - one), (int)(0u - n));
    short s = SHRT_MAX;
    s++;
    signed char c = CHAR_MIN;
    c--;
    printf("%d %d\n", s, c);
    unsigned short us = 0;
    us--;
    unsigned u = 0;
    u -= 2;
    printf("%u %u\n", us, u);
    unsigned short big = 65535;
    printf("%u\n", (unsigned)big * big);
    printf("%d\n", (int)(unsigned char)(big + 2));
    return 0;
}
