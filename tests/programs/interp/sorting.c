// gnomon: run 0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct rec { int k; char name[8]; struct rec *self; };
static int calls;
static int by_int(const void *a, const void *b) { calls++; int x = *(const int *)a, y = *(const int *)b; return (x > y) - (x < y); }
static int by_key(const void *a, const void *b) { return ((const struct rec *)a)->k - ((const struct rec *)b)->k; }
static int by_str(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
int main(void)
{
    int a[] = {5, 3, 9, -1, 7, 3, 0, 12, 8, -5};
    qsort(a, 10, sizeof *a, by_int);
    for (int i = 0; i < 10; i++) printf("%d ", a[i]);
    printf("\n");
    struct rec r[6];
    for (int i = 0; i < 6; i++) { r[i].k = i * 5 % 3; sprintf(r[i].name, "n%d", i); r[i].self = &r[i]; }
    qsort(r, 6, sizeof *r, by_key);
    for (int i = 0; i < 6; i++) printf("%d%s%d ", r[i].k, r[i].name, r[i].self->k);
    printf("\n");
    const char *w[] = {"pear", "apple", "fig", "date"};
    qsort(w, 4, sizeof *w, by_str);
    for (int i = 0; i < 4; i++) printf("%s ", w[i]);
    int key = 7, *f = bsearch(&key, a, 10, sizeof *a, by_int);
    key = 6;
    printf("%d %d\n", f ? (int)(f - a) : -1, bsearch(&key, a, 10, sizeof *a, by_int) == NULL);
    return 0;
}
