// gnomon: run 0
#include <stdio.h>
static unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int ack(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static int even(int n), odd(int n);
static int even(int n) { return n == 0 ? 1 : odd(n - 1); }
static int odd(int n) { return n == 0 ? 0 : even(n - 1); }
static void hanoi(int n, int a, int b, int c, int *moves) { if (!n) return; hanoi(n - 1, a, c, b, moves); ++*moves; hanoi(n - 1, c, b, a, moves); }
static unsigned perms;
static void permute(int *a, int k, int n) { if (k == n) { perms = perms * 7 + a[0] * 100 + a[n - 1]; return; }
    for (int i = k; i < n; i++) { int t = a[k]; a[k] = a[i]; a[i] = t; permute(a, k + 1, n); t = a[k]; a[k] = a[i]; a[i] = t; } }
static long depth(long n) { char pad[16]; pad[0] = (char)n; return n == 0 ? pad[0] : 1 + depth(n - 1); }
int main(void)
{
    int moves = 0, a[] = {1, 2, 3, 4};
    printf("%u %d %d %d\n", fib(20), ack(2, 5), even(101), odd(101));
    hanoi(8, 1, 2, 3, &moves);
    permute(a, 0, 4);
    printf("%d %u %ld\n", moves, perms & 0xffff, depth(5000));
    return 0;
}
