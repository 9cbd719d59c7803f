// gnomon: run 0
#include <stdio.h>
#include <stdarg.h>
struct big { int a[5]; };
static int sum(int n, ...) { va_list ap; va_start(ap, n); int s = 0; while (n--) s += va_arg(ap, int); va_end(ap); return s; }
static double mix(const char *f, ...)
{
    va_list ap, again;
    va_start(ap, f);
    va_copy(again, ap);
    double r = 0;
    for (; *f; f++)
        switch (*f) {
        case 'i': r += va_arg(ap, int); break;
        case 'l': r += va_arg(ap, long long); break;
        case 'd': r += va_arg(ap, double); break;
        case 's': r += va_arg(ap, char *)[0]; break;
        case 'p': r += *va_arg(ap, int *); break;
        case 'b': { struct big b = va_arg(ap, struct big); r += b.a[4]; break; }
        case 'D': r += (double)va_arg(ap, long double); break;
        }
    va_end(ap);
    int first = va_arg(again, int);
    va_end(again);
    return r * 1000 + first;
}
static int vsum(int n, va_list ap) { int s = 0; for (int i = 0; i < n; i++) s = s * 10 + va_arg(ap, int); return s; }
static int outer(int n, ...) { va_list ap; va_start(ap, n); int s = vsum(n, ap); va_end(ap); return s; }
static void say(const char *f, ...) { char b[100]; va_list ap; va_start(ap, f); int k = vsnprintf(b, sizeof b, f, ap); va_end(ap); printf("[%s]%d ", b, k); va_start(ap, f); vprintf(f, ap); va_end(ap); printf("\n"); }
int main(void)
{
    int x = 40;
    struct big b = {{1, 2, 3, 4, 5}};
    float f = 0.5f;
    char c = 'A';
    printf("%d %d\n", sum(0), sum(4, 1, 2, 3, c));
    printf("%g\n", mix("ildspbDi", 1, 1LL << 35, f, "B", &x, b, 2.25L, (short)-3));
    printf("%d\n", outer(3, 7, 8, 9));
    say("%d-%s-%c-%.2f", 5, "str", 'q', 1.0 / 3);
    return 0;
}
