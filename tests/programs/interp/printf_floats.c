// gnomon: run 0
#include <stdio.h>
int main(void)
{
    double v[] = {0, 1, -1, 0.5, 1.5, 2.5, 123456789, 0.0001, 0.00001, 1e10, 1e100, 1e-100, 3.14159265358979, 99999.5, 0.1, 1e15, 1e16, 5e-324, 1.7976931348623157e308};
    for (unsigned i = 0; i < sizeof v / sizeof *v; i++) {
        double x = v[i];
        printf("[%f][%e][%g][%a]\n", x, x, x, x);
        printf("[%.0f][%.3f][%.10e][%.15g][%.3a][%.0e]\n", x, x, x, x, x, x);
        printf("[%12.3g][%-12.3g][%012.3f][%+g][% g][%#g][%#.0f]\n", x, x, x, x, x, x, x);
        printf("[%G][%E][%A][%F]\n", x, x, x, x);
    }
    printf("[%f][%5f][%-8f][%08f][%F]\n", 1 / 0.0, 1 / 0.0, -1 / 0.0, 1 / 0.0, 1 / 0.0);
    printf("%.40f\n%.30g\n", 0.1, 0.1);
    printf("%f %lf\n", 1.25f, 2.5);
    return 0;
}
