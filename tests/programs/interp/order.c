// gnomon: run 0
#include <stdio.h>
static int trace[20], n;
static int f(int i) { trace[n++] = i; return i; }
static int a[5], i;
int main(void)
{
    a[f(1)] = (f(2), f(3));
    i = 0;
    int v = (f(4), i++, i * 10);
    f(5) && f(0) && f(6);
    int t = f(7) ? f(8) : f(9);
    for (f(10); i < 2; i += f(1)) f(11);
    for (int k = 0; k < n; k++)
        if (k > 2) printf("%d ", trace[k]);
    printf("%d %d %d\n", a[1], v, t);
    return 0;
}
