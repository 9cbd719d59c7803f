// gnomon: run 0
#include <stdio.h>
#include <stddef.h>
struct e1 { char a; double d; char b; }; struct e2 { char a; long long l; }; struct e3 { short s; char c[3]; int i; }; union e4 { char c[5]; int i; };
int main(void)
{
    printf("%d %d %d %d %d\n", (int)sizeof(char), (int)sizeof(short), (int)sizeof(int), (int)sizeof(long long), (int)sizeof(double));
    printf("%d %d %d %d\n", (int)sizeof(struct e1), (int)sizeof(struct e2), (int)sizeof(struct e3), (int)sizeof(union e4));
    printf("%d %d %d\n", (int)offsetof(struct e1, d), (int)offsetof(struct e2, l), (int)_Alignof(struct e2));
    printf("%d %d %d\n", (int)sizeof(long), (int)sizeof(void *), (int)sizeof(long double));
    printf("%d %d %d\n", (int)sizeof(int[3][4]), (int)sizeof "str", (int)sizeof('a'));
    int x = 1;
    int y = (int)sizeof(x++);
    printf("%d %d %d\n", x, y, (int)sizeof(char[x + 3]));
    return 0;
}
