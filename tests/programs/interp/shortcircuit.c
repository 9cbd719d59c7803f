// gnomon: run 0
#include <stdio.h>
static int log_[40], n;
static int t(int id, int v) { log_[n++] = id; return v; }
int main(void)
{
    int r = 0;
    r += t(1, 0) && t(2, 1);
    r += t(3, 1) && t(4, 1);
    r += t(5, 0) || t(6, 0);
    r += t(7, 1) || t(8, 1);
    r += (t(9, 0) || t(10, 1)) && !t(11, 0) ? t(12, 10) : t(13, 20);
    r += t(14, 0) ? t(15, 100) : t(16, 0) ? t(17, 200) : t(18, 300);
    int z = (t(19, 1), t(20, 2), t(21, 3));
    printf("%d %d:", r, z);
    for (int i = 0; i < n; i++)
        printf(" %d", log_[i]);
    int *p = 0;
    printf(" %d\n", p && *p);
    int q = 5 ?: 7, w = 0 ?: 9;
    printf("%d %d\n", q, w);
    return 0;
}
