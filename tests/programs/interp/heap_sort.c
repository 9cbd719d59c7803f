// gnomon: run 0
#include <stdio.h>
static void sift(int *a, int i, int n) { for (;;) { int l = 2 * i + 1, m = i; if (l < n && a[l] > a[m]) m = l; if (l + 1 < n && a[l + 1] > a[m]) m = l + 1; if (m == i) return; int t = a[i]; a[i] = a[m]; a[m] = t; i = m; } }
static void quick(int *lo, int *hi) { if (lo >= hi) return; int p = *lo, *i = lo, *j = hi; while (i <= j) { while (*i < p) i++; while (*j > p) j--; if (i <= j) { int t = *i; *i++ = *j; *j-- = t; } } quick(lo, j); quick(i, hi); }
int main(void)
{
    int a[64], b[64];
    unsigned x = 1;
    for (int i = 0; i < 64; i++) { x = x * 1664525u + 1013904223u; a[i] = b[i] = (int)(x >> 20) - 2048; }
    for (int i = 31; i >= 0; i--) sift(a, i, 64);
    for (int n = 64; n-- > 1;) { int t = a[0]; a[0] = a[n]; a[n] = t; sift(a, 0, n); }
    quick(b, b + 63);
    int same = 1;
    for (int i = 0; i < 64; i++) same &= a[i] == b[i];
    printf("%d %d %d %d\n", same, a[0], a[32], a[63]);
    return !same;
}
