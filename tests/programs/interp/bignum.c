// gnomon: run 0
#include <stdio.h>
#include <string.h>
#define D 60
static void mulsmall(int *n, int k) { int c = 0; for (int i = 0; i < D; i++) { c += n[i] * k; n[i] = c % 10; c /= 10; } }
static void show(const int *n) { int i = D - 1; while (i > 0 && !n[i]) i--; for (; i >= 0; i--) putchar('0' + n[i]); putchar('\n'); }
int main(void)
{
    int f[D] = {1}, a[D] = {0}, b[D] = {1}, t[D];
    for (int i = 2; i <= 40; i++) mulsmall(f, i);
    show(f);
    for (int i = 0; i < 200; i++) {
        int c = 0;
        for (int k = 0; k < D; k++) { c += a[k] + b[k]; t[k] = c % 10; c /= 10; }
        memcpy(a, b, sizeof a);
        memcpy(b, t, sizeof b);
    }
    show(a);
    return 0;
}
