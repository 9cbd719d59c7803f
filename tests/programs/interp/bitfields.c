// gnomon: run 0
#include <stdio.h>
#include <string.h>
struct s { int a : 3; unsigned b : 5; int c : 9; unsigned long long d : 40; _Bool e : 1; signed char f : 4; };
struct t { unsigned x : 1; unsigned : 0; unsigned y : 31; int z : 32; };
int main(void)
{
    struct s s;
    memset(&s, 0, sizeof s);
    for (int i = -5; i < 6; i++) {
        s.a = i; s.b = i; s.c = i * 77; s.d = (unsigned long long)i * 123456789; s.e = i; s.f = i;
        printf("%d %u %d %llu %d %d\n", s.a, s.b, s.c, (unsigned long long)s.d, s.e, s.f);
    }
    s.b = 31; s.b++;
    printf("%u\n", s.b);
    s.a = 3; s.a += 1;
    printf("%d\n", s.a);
    struct t t = {1, 0x7ffffffe, -1};
    printf("%u %u %d %d\n", t.x, t.y, t.z, (int)sizeof t);
    t.y += 1;
    t.x ^= 1;
    printf("%u %u %d\n", t.x, t.y, t.z);
    struct s copy = s;
    copy.c--;
    printf("%d %d %d\n", copy.c, s.c, (s.b - 1) < 0);
    struct { unsigned v : 30; } w = {1};
    printf("%d %d\n", w.v - 2 < 0, (int)(w.v << 30 != 0));
    unsigned char *p = (unsigned char *)&t;
    for (unsigned i = 0; i < sizeof t; i++) printf("%02x", p[i]);
    printf("\n");
    return 0;
}
