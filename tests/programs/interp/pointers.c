// gnomon: run 0
#include <stdio.h>
#include <stdint.h>
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static int **pp(int ***p) { return *p; }
int g = 5, *gp = &g, **gpp = &gp;
struct n { struct n *l, *r; int v; } t1 = {0, 0, 1}, t2 = {&t1, 0, 2}, t3 = {&t2, &t1, 3};
int main(void)
{
    int x = 1, y = 2;
    swap(&x, &y);
    printf("%d %d\n", x, y);
    **gpp = 9;
    printf("%d %d\n", g, **pp(&gpp));
    int *p = &x;
    uintptr_t u = (uintptr_t)p;
    int *q = (int *)(u + 0);
    *q = 77;
    printf("%d %d\n", x, p == q);
    uintptr_t xored = (uintptr_t)&x ^ (uintptr_t)&y;
    *(int *)(xored ^ (uintptr_t)&x) = 88;
    printf("%d\n", y);
    void *v = &g;
    char *c = v;
    printf("%d %d\n", c[0], *(int *)(c + 0));
    printf("%d %d %d\n", t3.l->l->v, t3.r->v, t3.l->r == 0);
    int *a[3] = {&x, &y, &g};
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += *a[i];
    printf("%d\n", sum);
    const char *const names[] = {"zero", "one", "two"};
    printf("%s %c\n", names[2], *(names[1] + 1));
    int *copy;
    char *from = (char *)&p, *to = (char *)&copy;
    for (unsigned i = 0; i < sizeof p; i++) to[i] = from[i];
    *copy = 5;
    printf("%d %d\n", x, !copy);
    printf("%d\n", (int)((char *)(a + 2) - (char *)a == 2 * sizeof(int *)));
    return 0;
}
