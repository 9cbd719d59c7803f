// gnomon: run 0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct node { int key; struct node *l, *r; };
static struct node *insert(struct node *t, int k)
{
    if (!t) { t = malloc(sizeof *t); t->key = k; t->l = t->r = NULL; }
    else if (k < t->key) t->l = insert(t->l, k);
    else if (k > t->key) t->r = insert(t->r, k);
    return t;
}
static void walk(struct node *t) { if (t) { walk(t->l); printf("%d ", t->key); walk(t->r); } }
static int drop(struct node *t) { if (!t) return 0; int n = drop(t->l) + drop(t->r) + 1; free(t); return n; }
int main(void)
{
    struct node *t = 0;
    unsigned x = 7;
    for (int i = 0; i < 30; i++) { x = x * 1103515245 + 12345; t = insert(t, x >> 16 & 63); }
    walk(t);
    printf("\n%d\n", drop(t));
    int *z = calloc(10, sizeof *z), s = 0;
    for (int i = 0; i < 10; i++) s += z[i];
    z = realloc(z, 100 * sizeof *z);
    for (int i = 10; i < 100; i++) z[i] = i;
    for (int i = 0; i < 100; i++) s += z[i];
    printf("%d\n", s);
    char **v = malloc(5 * sizeof *v);
    for (int i = 0; i < 5; i++) { v[i] = malloc(8); sprintf(v[i], "s%d", i * i); }
    v = realloc(v, 6 * sizeof *v);
    v[5] = strdup("end");
    for (int i = 0; i < 6; i++) { printf("%s ", v[i]); free(v[i]); }
    free(v);
    free(z);
    free(NULL);
    printf("\n");
    return 0;
}
