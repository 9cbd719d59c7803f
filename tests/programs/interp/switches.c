// gnomon: run 0
#include <stdio.h>
static int f(int x)
{
    int r = 0;
    switch (x) {
    case 1: r += 1;
    case 2: r += 2; break;
    case 3: { r += 100; break; }
    default: r = -1; break;
    case 10 ... 20: r = 15; break;
    case -5: return 55;
    }
    return r;
}
static const char *name(unsigned char c)
{
    switch (c) { case 'a': return "a"; case 255: return "max"; case 0: return "nul"; }
    return "?";
}
static int duff(int n)
{
    int c = 0, i = (n + 3) / 4;
    switch (n % 4) {
    case 0: do { c++;
    case 3: c++;
    case 2: c++;
    case 1: c++;
            } while (--i > 0);
    }
    return c;
}
int main(void)
{
    for (int i = -6; i < 23; i++) printf("%d ", f(i));
    printf("\n%s %s %s %s\n", name('a'), name(255), name(0), name(9));
    for (int i = 1; i < 12; i++) printf("%d ", duff(i));
    long long big = 1LL << 33;
    switch (big) { case 1LL << 33: printf("big"); break; case 0: printf("zero"); }
    switch (3) default: printf(" end\n");
    return 0;
}
