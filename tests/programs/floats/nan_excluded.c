// gnomon: true
// After the test for NaN the order of two numbers is total.
extern double __VERIFIER_nondet_double(void);
extern void reach_error(void);

int main(void)
{
    double x = __VERIFIER_nondet_double();
    double y = __VERIFIER_nondet_double();
    if (x != x || y != y)
        return 1;
    if (!(x < y) && !(x > y) && !(x == y))
        reach_error();
    return 0;
}
