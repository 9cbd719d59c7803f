// gnomon: run 0
#include <stdio.h>
static int counter(void) { static int n = 10; static int *p = &n; return ++*p; }
static int other(void) { static int n; return n += 2; }
const int table[] = {1, 2, 4, 8};
static const char *msg = "message", buf[] = "buffer";
static int *alias = (int *)&table[2] - 1;
static struct { int a; const char *s; int *p; } conf = {sizeof(buf), buf + 3, (int *)table + 3};
double half = 1.0 / 2, neg = -0.25;
unsigned long long mask = ~0ULL << 60 | 0xfu;
extern int later;
int later = 99;
int tentative;
int main(void)
{
    for (int i = 0; i < 3; i++) printf("%d %d ", counter(), other());
    printf("%d %s %s %d\n", *alias, msg + 3, conf.s, *conf.p);
    printf("%d %g %g %llx %d %d\n", conf.a, half, neg, mask, later, tentative);
    msg = buf;
    tentative = later--;
    printf("%s %d %d\n", msg, tentative, later);
    { static int n = 5; n++; printf("%d\n", n); }
    return 0;
}
