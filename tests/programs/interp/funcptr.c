// gnomon: run 0
#include <stdio.h>
typedef int (*op)(int, int);
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
static op table[] = {add, sub, &mul};
static op pick(char c) { switch (c) { case '+': return add; case '-': return sub; default: return mul; } }
static int apply(int (*f)(int, int), int a, int b) { return (*f)(a, b) + f(b, a); }
struct vt { const char *name; op f; void (*show)(const struct vt *); };
static void show(const struct vt *v) { printf("<%s>", v->name); }
static int (*(*get(void))(void))(int, int);
static op inner(void) { return sub; }
static int (*(*get(void))(void))(int, int) { return inner; }
int main(void)
{
    for (int i = 0; i < 3; i++) printf("%d ", table[i](7, 3));
    printf("%d %d %d\n", pick('+')(1, 2), apply(pick('-'), 9, 4), apply(mul, 3, 4));
    struct vt v = {"vt", add, show};
    v.show(&v);
    printf("%d %d %d\n", v.f(20, 22), get()()(5, 1), table[0] == add);
    void *raw = (void *)add;
    printf("%d %d\n", ((op)raw)(2, 2), v.f != mul);
    op none = 0;
    printf("%d\n", none ? 1 : 2);
    return 0;
}
