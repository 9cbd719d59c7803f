// gnomon: true
// The greatest common divisor by subtraction is not above either argument.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int gcd(int a, int b)
{
    if (a == b)
        return a;
    if (a > b)
        return gcd(a - b, b);
    return gcd(a, b - a);
}

int main(void)
{
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    if (a < 1 || b < 1 || a > 500 || b > 500)
        return 0;
    int g = gcd(a, b);
    if (g > a || g > b || g < 1)
        reach_error();
    return 0;
}
