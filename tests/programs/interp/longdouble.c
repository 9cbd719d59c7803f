// gnomon: run 0
#include <stdio.h>
#include <math.h>
int main(void)
{
    long double a = 1.0L / 3, b = 1e300L * 1e300L, c = 0.1L;
    printf("%.20Lf %.18Le %Lg\n", a, b, c);
    printf("%La %La\n", a, 1.0L);
    printf("%d %d\n", a + a + a == 1.0L, (double)a == 1.0 / 3);
    long double s = 0;
    for (int i = 1; i <= 50; i++) s += 1.0L / i;
    printf("%.19Lf\n", s);
    printf("%lld %d\n", (long long)(s * 1e15L), (int)-a);
    unsigned long long u = 0xfffffffffffffff1ULL;
    long double big = u;
    printf("%.1Lf %d\n", big, (unsigned long long)big == u);
    printf("%.19Lf %.5Lf %.5Lf %.5Lf\n", sqrtl(2.0L), floorl(-2.5L), fabsl(-1.25L), fmodl(7.5L, 2.0L));
    struct { char c; long double d; } t = {'x', 2.5L}, v;
    v = t;
    printf("%Lf %d\n", v.d, v.d < 3);
    return 0;
}
