// gnomon: run 0
#include <stdio.h>
int main(void)
{
    int i = 5, a[4] = {1, 2, 3, 4};
    int *p = a;
    printf("%d %d\n", i++, i);
    printf("%d %d\n", ++i, i);
    printf("%d %d\n", i--, i);
    printf("%d\n", *p++);
    printf("%d\n", (*p)++);
    printf("%d\n", *++p);
    printf("%d\n", ++*p);
    printf("%d %d %d %d\n", a[0], a[1], a[2], a[3]);
    unsigned char c = 255;
    c++;
    printf("%d\n", c);
    c--;
    printf("%d\n", c);
    double d = 1.5;
    d++;
    printf("%g %g\n", d--, d);
    _Bool b = 1;
    b--;
    printf("%d\n", b);
    b--;
    printf("%d\n", b);
    return 0;
}
