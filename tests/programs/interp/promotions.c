// gnomon: run 3
#include <stdio.h>
int main(void)
{
    unsigned char a = 255, b = 1;
    signed char c = (signed char)200;
    unsigned short us = 65535;
    short s = -2;
    unsigned u = 1;
    printf("%d %d %d %d\n", a + b, (unsigned char)(a + b), c, us * 2);
    printf("%d %d %d\n", -1 < u, (short)-1 < (unsigned short)1, s < (int)u);
    printf("%d %d\n", (unsigned char)300, (signed char)(128 + 7));
    printf("%d %ld %lld\n", (int)sizeof(a + b), (long)sizeof(1L + u) / (long)sizeof(long), (long long)s * us);
    long l = -1;
    unsigned long ul = l;
    printf("%d %d\n", l == (long)ul, ul > 0);
    _Bool x = 256, y = 0.5, z = 0;
    printf("%d %d %d %d\n", x, y, z, x + y);
    x++;
    z = !x;
    printf("%d %d\n", x, z);
    return a + b == 256 ? 3 : 4;
}
