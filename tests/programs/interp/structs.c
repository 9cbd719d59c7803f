// gnomon: run 0
#include <stdio.h>
#include <stddef.h>
struct point { int x, y; };
struct rect { struct point a, b; char tag; double w; };
struct list { int v; struct list *next; };
static struct rect grow(struct rect r, int by) { r.a.x -= by; r.b.y += by; r.w *= 2; return r; }
static struct point add(struct point p, struct point q) { return (struct point){p.x + q.x, p.y + q.y}; }
int main(void)
{
    struct rect r = {{1, 2}, {3, 4}, 'x', 1.5}, s;
    s = grow(r, 10);
    printf("%d %d %d %d %c %g\n", s.a.x, s.a.y, s.b.x, s.b.y, s.tag, s.w);
    printf("%d %g\n", r.a.x, r.w);
    struct point p = add(add(s.a, s.b), (struct point){.y = 100});
    printf("%d %d\n", p.x, p.y);
    struct list c = {3, 0}, b = {2, &c}, a = {1, &b};
    int sum = 0;
    for (struct list *l = &a; l; l = l->next) sum = sum * 10 + l->v;
    printf("%d\n", sum);
    struct rect arr[3] = {[1] = {.w = 2.5, .a.y = 7}};
    printf("%d %g %d %g\n", arr[1].a.y, arr[1].w, arr[2].b.x, arr[0].w);
    printf("%d\n", (int)(offsetof(struct rect, tag) == 16));
    struct rect *pr = &arr[1];
    pr->b = pr->a;
    pr[1] = *pr;
    printf("%d %g\n", arr[2].b.y, pr[1].w);
    printf("%d\n", grow(r, 1).b.y);
    return 0;
}
