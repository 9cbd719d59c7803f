// gnomon: run 0
#include <stdio.h>
int main(void)
{
    for (int i = 0; i < 32; i += 3) {
        unsigned u = 0xdeadbeefu;
        int n = -123456789;
        printf("%x %x %d ", u << i, u >> i, n >> i);
        printf("%llx %llx\n", 0x123456789abcdef0ULL << i, 0xf23456789abcdef0ULL >> (i * 2 % 64));
    }
    unsigned char c = 200;
    signed char d = -56;
    short e = -1000;
    printf("%d %d %d %d\n", c << 4, d >> 2, e >> 3, (unsigned short)(e << 2));
    c <<= 3;
    d >>= 1;
    e ^= 0x5555;
    printf("%d %d %d\n", c, d, e);
    return 0;
}
