// gnomon: run 0
#include <stdio.h>
#ifdef __SIZEOF_INT128__
typedef unsigned __int128 u128;
static void show(u128 x) { printf("%llx:%llx ", (unsigned long long)(x >> 64), (unsigned long long)x); }
int main(void)
{
    u128 a = (u128)0x123456789abcdefULL << 40, b = 1000000007;
    show(a * b); show(a / b); show(a % b); show(a - b); show(~a);
    __int128 s = -(__int128)a;
    show(s / 3); show(s >> 100); show(s % 1000);
    printf("%d %d %d\n", s < 0, a > b, (__int128)-1 < (__int128)1);
    u128 f = 1;
    for (int i = 1; i <= 33; i++) f *= i;
    show(f);
    printf("%g %d\n", (double)f, (int)(f != 0));
    show((u128)1e30);
    printf("\n");
    return 0;
}
#else
int main(void) { return 0; }
#endif
