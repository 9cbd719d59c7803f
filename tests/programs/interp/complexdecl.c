// gnomon: run 0
#include <stdio.h>
typedef struct tree tree;
struct tree { tree *kid[2]; int (*visit)(tree *, int); int v; };
static int visit(tree *t, int d) { int s = t->v * d; for (int i = 0; i < 2; i++) if (t->kid[i]) s += t->kid[i]->visit(t->kid[i], d + 1); return s; }
static tree l = {{0, 0}, visit, 3}, r = {{&l, 0}, visit, 4}, root = {{&l, &r}, visit, 5};
static int (*fa[2])(tree *, int) = {visit, visit};
static char (*pa)[6] = &(char[6]){"array"};
static int *const *volatile ppv;
int main(void)
{
    printf("%d %d\n", root.visit(&root, 1), fa[1](&r, 10));
    printf("%s %d\n", *pa, (int)sizeof *pa);
    int x = 4, *px = &x;
    int *const cpx = px;
    ppv = &cpx;
    printf("%d\n", **ppv);
    volatile int v = 3;
    v += v;
    printf("%d\n", v);
    register int i = 2;
    unsigned long const int long unusual = 7;
    printf("%d %llu\n", i, unusual);
    return 0;
}
