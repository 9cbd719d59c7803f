// gnomon: run 0
#include <stdio.h>
#include <stdint.h>
#include <limits.h>
int main(void)
{
    int v[] = {0, 1, -1, 42, -42, INT_MAX, INT_MIN};
    for (int i = 0; i < 7; i++) {
        int x = v[i];
        printf("[%d][%5d][%-5d][%05d][%+d][% d][%.3d][%8.3d][%-8.3d][%i]\n", x, x, x, x, x, x, x, x, x, x);
        printf("[%u][%x][%X][%o][%#x][%#o][%08x][%#10x][%-#10x][%.0d]\n", x, x, x, x, x, x, x, x, x, x);
        printf("[%hhd][%hd][%hhu][%hu][%ld][%lld][%zu][%jd]\n", (char)x, (short)x, (unsigned char)x, (unsigned short)x, (long)x, (long long)x, (size_t)i, (intmax_t)x);
    }
    printf("[%*d][%-*d][%.*d][%*.*d]\n", 6, 1, 6, 2, 3, 3, 8, 4, 5);
    printf("[%*d]\n", -6, 7);
    printf("[%c][%5c][%-5c][%%]\n", 'a', 'b', 'c');
    printf("[%llx][%llo][%#llX][%lu]\n", 0x123456789abcdefULL, 01234567ULL, 255ULL, ULONG_MAX);
    printf("[%+5d][%+05d][%-+5d][% 05d][%+.0d][%#.0x]\n", 3, 3, 3, 3, 0, 0);
    printf("%s|%d%n|", "abc", 12, &v[0]);
    printf("%d\n", v[0]);
    printf("%d\n", printf("12345\n"));
    return 0;
}
