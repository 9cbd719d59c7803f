// gnomon: run 0
#include <stdio.h>
#include <stddef.h>
#include <stdint.h>
struct s { char c; int v[3]; short t; };
int main(void)
{
    struct s a[4];
    for (int i = 0; i < 4; i++) for (int j = 0; j < 3; j++) a[i].v[j] = i * 3 + j;
    struct s *p = a + 3, *q = a;
    printf("%d %d %d\n", (int)(p - q), (int)((char *)p - (char *)q), p > q);
    int *v = &a[1].v[0];
    v = (int *)((char *)v + sizeof(struct s));
    printf("%d %d\n", *v, v[2]);
    signed char k = -1;
    unsigned char u = 2;
    short h = -2;
    long long L = -3;
    printf("%d %d %d %d\n", (p + k)->v[1], (q + u)->v[0], p[h].v[2], p[L].v[0]);
    unsigned un = 1;
    p -= un;
    p += -1;
    printf("%d\n", p->v[0]);
    int (*m)[3] = &a[2].v;
    printf("%d %d\n", (*m)[1], (int)sizeof *m);
    char *end = (char *)(&a + 1);
    printf("%d %d\n", (int)(end - (char *)a) == (int)sizeof a, (uintptr_t)a % _Alignof(struct s) == 0);
    void *vp = a;
    vp = (char *)vp + offsetof(struct s, t);
    *(short *)vp = 77;
    printf("%d %d\n", a[0].t, !vp);
    for (const char *c = "loop" + 4; c[-1] != 'l'; c--) putchar(c[-1]);
    putchar('\n');
    return 0;
}
