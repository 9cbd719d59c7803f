// gnomon: run 0
#include <stdio.h>
#include <string.h>
struct a { char c; short s; }; struct b { struct a x[2]; union { int i; struct a y; } u; }; struct c { struct b b; struct c *self; };
static struct c mk(int n) { struct c r; memset(&r, 0, sizeof r); r.b.x[1].s = n; r.b.u.y.c = 'k'; r.self = 0; return r; }
static struct c *fix(struct c *p) { p->self = p; return p; }
static int deep(struct c v, int n) { if (n == 0) return v.b.x[1].s; v.b.x[1].s += n; return deep(v, n - 1) + v.b.x[1].s; }
int main(void)
{
    struct c v = mk(5), w;
    w = *fix(&v);
    printf("%d %c %d %d\n", w.b.x[1].s, w.b.u.y.c, w.self == &v, w.self->self->b.x[1].s);
    w.self->b.x[0] = w.b.x[1];
    printf("%d %d\n", v.b.x[0].s, w.b.x[0].s);
    printf("%d %d\n", deep(v, 4), mk(9).b.x[1].s);
    struct c arr[3] = {v, mk(1), {.self = &arr[1]}};
    arr[0] = arr[1] = arr[2];
    printf("%d %d\n", arr[0].self == &arr[1], arr[1].b.u.i);
    return 0;
}
