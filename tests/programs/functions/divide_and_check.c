// gnomon: true
// Division by repeated subtraction in one function, checked by multiplication in another.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static unsigned quotient, remainder_left;

static void divide(unsigned a, unsigned b)
{
    quotient = 0;
    remainder_left = a;
    while (remainder_left >= b) {
        remainder_left -= b;
        quotient++;
    }
}

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint();
    divide(a, 7);
    if (quotient * 7 + remainder_left != a)
        reach_error();
    if (remainder_left > 6)
        reach_error();
    return 0;
}
