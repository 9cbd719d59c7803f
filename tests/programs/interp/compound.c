// gnomon: run 0
#include <stdio.h>
int calls;
int *next(int *p) { calls++; return p; }
int main(void)
{
    int x = 10;
    x += 5; printf("%d ", x);
    x -= 3; printf("%d ", x);
    x *= 4; printf("%d ", x);
    x /= 5; printf("%d ", x);
    x %= 6; printf("%d ", x);
    x <<= 4; printf("%d ", x);
    x >>= 1; printf("%d ", x);
    x |= 129; printf("%d ", x);
    x &= 0xf3; printf("%d ", x);
    x ^= 0xff; printf("%d\n", x);
    *next(&x) += 2;
    *next(&x) *= 3;
    printf("%d %d\n", x, calls);
    unsigned char c = 250;
    c += 10; printf("%d ", c);
    c *= 100; printf("%d ", c);
    char s = 'a';
    s -= 'a' - 'A'; printf("%c ", s);
    float f = 1.5f;
    f *= 2; f += 0.25; printf("%f ", f);
    int i = 7;
    i *= 1.5; printf("%d ", i);
    i += 2.9; printf("%d\n", i);
    return 0;
}
