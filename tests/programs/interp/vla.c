// gnomon: run 0
#include <stdio.h>
static int fill(int n, int m, int a[n][m])
{
    int s = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += a[i][j] = i * m + j;
    return s;
}
int main(void)
{
    for (int n = 1; n < 5; n++) {
        int a[n][n + 1];
        int s = fill(n, n + 1, a);
        printf("%d %d %d\n", s, (int)(sizeof a / sizeof(int)), a[n - 1][n]);
    }
    int k = 6;
    char buf[k * 2];
    k = 100;
    printf("%d\n", (int)sizeof buf);
    char *p = __builtin_alloca(k);
    for (int i = 0; i < k; i++) p[i] = i;
    printf("%d\n", p[99]);
    return 0;
}
