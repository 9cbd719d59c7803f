// gnomon: run 0
#include <stdio.h>
#include <string.h>
union u { int i; unsigned char b[4]; float f; unsigned short h[2]; };
struct v { int kind; union { long long ll; double d; struct { int lo, hi; }; }; };
int main(void)
{
    union u u;
    u.i = 0x01020304;
    printf("%d %d %d %d %x\n", u.b[0], u.b[1], u.b[2], u.b[3], u.h[1]);
    u.f = 1.0f;
    printf("%x\n", u.i);
    u.b[3] = 0xc0;
    printf("%f\n", u.f);
    struct v v = {1, .d = -2.0};
    printf("%llx %x %x\n", v.ll, v.lo, v.hi);
    v.hi = 0x40080000;
    printf("%f\n", v.d);
    union { char c[8]; long long l; } w = {"abc"};
    printf("%s %llx\n", w.c, w.l);
    union u copy = u, arr[2];
    arr[0] = copy;
    arr[1].i = -1;
    printf("%f %d %d\n", arr[0].f, arr[1].h[0], memcmp(&arr[0], &u, 4));
    return 0;
}
