// gnomon: run 0
#include <stdio.h>
#include <math.h>
int main(void)
{
    double v[] = {0.0, 0.5, 1.0, -1.0, 2.5, -2.5, 3.5, 100.25, 1e-5};
    for (int i = 0; i < 9; i++) {
        double x = v[i];
        printf("%g: %.12g %.12g %.12g %.12g %.12g %.12g\n", x, floor(x), ceil(x), round(x), trunc(x), rint(x), fabs(x));
        printf("  %.12g %.12g %.12g %.12g %.12g\n", sin(x), cos(x), tan(x), atan(x), exp(x / 10));
        if (x > 0) printf("  %.12g %.12g %.12g %.12g %.12g\n", sqrt(x), log(x), log10(x), log2(x), pow(x, 1.5));
        int e;
        double m = frexp(x, &e), ip, fp = modf(x, &ip);
        printf("  %g %d %g %g %g %ld\n", m, e, ip, fp, ldexp(x, 3), lround(x));
    }
    printf("%g %g %g %g %g\n", fmod(7.5, 2), fmod(-7.5, 2), atan2(1, -1), hypot(3, 4), cbrt(27));
    printf("%g %g %g %g\n", fmax(1, NAN), fmin(2, 3), copysign(3, -0.0), remainder(5.5, 2));
    printf("%d %d %d %d %d\n", !!isnan(NAN), !!isinf(INFINITY), !!isfinite(1.0), !!signbit(-0.0), !!isnormal(1e-310));
    printf("%.7g %.7g %.7g\n", sqrtf(2), sinf(1), powf(2, 0.5f));
    printf("%.17g %.9g\n", nextafter(1, 2), nextafterf(1, 0));
    printf("%g %g %g\n", fdim(3, 1), fma(2, 3, 4), log1p(1e-10));
    return 0;
}
