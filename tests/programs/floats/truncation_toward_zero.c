// gnomon: true
// Conversion to int cuts toward zero.
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void)
{
    double x = __VERIFIER_nondet_double();
    if (!(x > -1000.0 && x < 1000.0))
        return 0;
    int i = (int)x;
    if (x >= 0.0 && (i > x || i < 0))
        reach_error();
    if (x <= 0.0 && (i < x || i > 0))
        reach_error();
    return 0;
}
