// gnomon: run 0
#include <stdio.h>
#include <float.h>
int main(void)
{
    double a = 0.1, b = 0.2, z = 0.0;
    float f = 16777216.0f;
    printf("%.17g %.17g %.17g %.17g\n", a + b, a - b, a * b, a / b);
    printf("%d %d %d\n", a + b == 0.3, a < b, a + b > 0.3);
    printf("%.9g %.9g\n", f + 1.0f, f + 2.0f);
    printf("%.9g %.9g %.9g\n", (float)a, 1.0f / 3, (float)(1.0 / 3));
    double inf = 1.0 / z;
    printf("%f %f %d %d\n", inf, -inf, inf > DBL_MAX, inf == inf);
    double nan = inf - inf;
    printf("%d %d %d %d\n", nan == nan, nan != nan, nan < 1, !(nan >= 1));
    printf("%d %d %u %lld\n", (int)3.99, (int)-3.99, (unsigned)3e9, (long long)-1e15);
    printf("%d %d\n", (unsigned char)200.7, (signed char)-100.5);
    printf("%.1f %.1f %.17g\n", (double)(1ULL << 63), (double)-5, (double)0xffffffffffffffffULL);
    printf("%.9g %.9g\n", (float)16777217, (float)0xffffffffu);
    printf("%g %g\n", DBL_MIN / 2, FLT_MIN / 4);
    double s = 0;
    for (int i = 1; i < 1000; i++) s += 1.0 / i / i;
    printf("%.15f\n", s);
    printf("%d %d\n", !a, a && -0.0);
    float acc = 0;
    for (int i = 0; i < 100; i++) acc += 0.1f;
    printf("%.8f %g\n", acc, -z);
    return 0;
}
