// gnomon: true
// A function that returns a struct by value delivers quotient and remainder.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

struct division {
    unsigned quotient, remainder;
};

static struct division divide(unsigned a, unsigned b)
{
    struct division d = {0, a};
    while (d.remainder >= b) {
        d.remainder -= b;
        d.quotient++;
    }
    return d;
}

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint();
    unsigned b = __VERIFIER_nondet_uint();
    if (b == 0)
        return 0;
    struct division d = divide(a, b);
    if (d.remainder >= b)
        reach_error();
    if (d.remainder > a)
        reach_error();
    return 0;
}
