// gnomon: run 0
#include <stdio.h>
static int classify(int x) { if (x < 0) return -1; else if (x == 0) return 0; else if (x < 10) return 1; else return 2; }
int main(void)
{
    int a = 3, *p = &a, *q = 0;
    for (int i = -2; i < 12; i += 3) printf("%d ", classify(i));
    printf("%d %ld %g\n", a ? 1 : 2, a > 5 ? 1L : -1L, a ? 1 : 2.5);
    printf("%d %d\n", p ? *p : 0, q ? *q : -1);
    const char *s = a == 3 ? "three" : "other";
    void *v = a ? p : (void *)0;
    printf("%s %d\n", s, v == p);
    struct { int x; } u = {1}, w = {2}, r;
    r = a > 2 ? u : w;
    printf("%d %d\n", r.x, (a > 2 ? w : u).x);
    unsigned un = 5;
    printf("%d\n", (a - 4 < 0 ? a - 4 : un) > 0);
    int x = 5, y = !x, z = !!x;
    printf("%d %d %d %d\n", y, z, -x, +x);
    a > 1 ? (void)(a = 10) : (void)0;
    printf("%d\n", a);
    return 0;
}
