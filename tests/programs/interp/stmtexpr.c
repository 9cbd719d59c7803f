// gnomon: run 0
#include <stdio.h>
#define MAX(a, b) ({ __typeof__(a) _a = (a); __typeof__(b) _b = (b); _a > _b ? _a : _b; })
static int side;
static int tick(void) { return ++side; }
int main(void)
{
    printf("%d %d\n", MAX(3, 7), MAX(tick(), 0));
    int x = ({ int s = 0; for (int i = 0; i < 5; i++) s += i; s; });
    printf("%d %d\n", x, side);
    __auto_type y = 2.5;
    printf("%g %d\n", y, (int)sizeof(y));
    printf("%s\n", _Generic(y, int: "int", double: "double", default: "other"));
    struct p { int a, b; } q = ({ struct p t = {1, 2}; t.a += 10; t; });
    printf("%d %d\n", q.a, q.b);
    int z = ({ if (x > 5) x = 1; x; }) + ({ 10; });
    printf("%d\n", z);
    return 0;
}
