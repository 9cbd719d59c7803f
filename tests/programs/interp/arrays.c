// gnomon: run 0
#include <stdio.h>
static int m[3][4] = {{1, 2, 3}, {4}, {[2] = 9, 10}};
static int sum(int (*a)[4], int n) { int s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 4; j++) s += a[i][j]; return s; }
int main(void)
{
    int a[10], *p = a, b[] = {5, [4] = 1, 2, [1] = 3};
    for (int i = 0; i < 10; i++) a[i] = i * i;
    printf("%d %d %d\n", *(p + 3), 4[a], p[9] - *p);
    printf("%d %d\n", (int)(sizeof b / sizeof *b), b[5]);
    printf("%d %d\n", sum(m, 3), (&m[1][0] - &m[0][0]));
    int (*row)[4] = m + 2;
    printf("%d %d\n", (*row)[3], row[-1][0]);
    char s[] = "hello", t[10] = "hi";
    printf("%d %s %d\n", (int)sizeof s, t, t[9]);
    int c[2][3][2] = {{{1, 2}, {3, 4}, {5, 6}}, {{7, 8}, {9, 10}, {11, 12}}};
    int k = 0;
    for (int *q = &c[0][0][0]; q < &c[0][0][0] + 12; q++) k = k * 3 + *q;
    printf("%d %d\n", k, c[1][2][0]);
    int *e = &a[10];
    printf("%d\n", (int)(e - a));
    while (e-- > a) printf("%d ", *e);
    printf("\n");
    return 0;
}
