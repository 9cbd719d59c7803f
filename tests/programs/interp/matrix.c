// gnomon: run 0
#include <stdio.h>
#define N 12
static double a[N][N], b[N][N], c[N][N];
static void mul(const double (*x)[N], const double (*y)[N], double (*z)[N])
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++) s += x[i][k] * y[k][j];
            z[i][j] = s;
        }
}
int main(void)
{
    for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { a[i][j] = i + j / 10.0; b[i][j] = i == j ? 2 : 1.0 / (i + j + 1); }
    mul((const double (*)[N])a, (const double (*)[N])b, c);
    mul((const double (*)[N])c, (const double (*)[N])b, a);
    double t = 0;
    for (int i = 0; i < N; i++) t += a[i][i];
    printf("%.10f %.10f\n", t, a[N - 1][0]);
    return 0;
}
