// gnomon: run 0
#include <stdio.h>
int x = 1;
enum color { RED, GREEN = 5, BLUE, LAST = -1 };
static int f(int x) { { int x = 3; x++; } return x; }
int main(void)
{
    int y = x;
    int x = 2;
    { int x = y + 10; { extern int x; printf("%d ", x); } printf("%d ", x); }
    for (int x = 0; x < 2; x++) { int x = 50; x++; printf("%d ", x); }
    printf("%d %d\n", x, f(9));
    enum color c = BLUE;
    printf("%d %d %d %d\n", RED, GREEN, c, LAST);
    typedef int T;
    { char T = 'c'; printf("%d ", (int)sizeof T); }
    T t = 3;
    struct S { int a; } s = {1};
    { struct S { char b[9]; } s; printf("%d ", (int)sizeof s); }
    printf("%d %d\n", (int)sizeof s, t);
    for (int i = 0; i < 3; i++) { int fresh = 0; fresh += i; printf("%d", fresh); }
    printf("\n");
    return 0;
}
