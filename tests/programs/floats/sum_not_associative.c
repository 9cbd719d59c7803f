// gnomon: false
// Addition of floats is not associative, even for moderate numbers.
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void)
{
    double a = 0.1, b = 0.2;
    double c = __VERIFIER_nondet_double();
    if (!(c >= 0.25 && c <= 0.75))
        return 0;
    if ((a + b) + c != a + (b + c))
        reach_error();
    return 0;
}
