// gnomon: run 0
#include <stdio.h>
struct in { int a, b[3]; char c; };
struct out { struct in x, y[2]; int z; };
static struct out g = {.y[1].b[1] = 5, .z = 6, .x = {1, {2}, 'c'}, .y[0] = {.c = 'q'}};
static int m[][2] = {1, 2, 3, 4, 5};
static char *names[] = {[3] = "three", [1] = "one"};
static char text[][4] = {"abc", "de", ""};
int main(void)
{
    printf("%d %d %d %c %c\n", g.x.a, g.x.b[0], g.y[1].b[1], g.x.c, g.y[0].c);
    printf("%d %d %d\n", (int)(sizeof m / sizeof *m), m[2][0], m[2][1]);
    printf("%s %d %d\n", names[3], names[0] == 0, (int)(sizeof names / sizeof *names));
    printf("%s %s %d\n", text[0], text[1], text[2][3]);
    int k = 3;
    struct out l = {{k, {k + 1, k + 2}}, {[1] = {.a = k * k}}, k};
    printf("%d %d %d %d %d\n", l.x.b[1], l.x.b[2], l.y[1].a, l.y[0].a, l.z);
    int a[5] = {k, [3] = k + 1};
    printf("%d %d %d\n", a[0], a[3], a[4]);
    int *p = (int[]){k, k * 2, k * 3};
    struct in *q = &(struct in){.c = 'z', .a = 4};
    printf("%d %c %d\n", p[2], q->c, q->b[2]);
    struct in c = l.x, d = *q;
    printf("%d %d\n", c.b[0], d.a);
    char s[3] = "xyz";
    printf("%c%c%c\n", s[0], s[1], s[2]);
    int r[10] = {[2 ... 5] = 7, 8};
    printf("%d %d %d %d\n", r[1], r[2], r[5], r[6]);
    return 0;
}
