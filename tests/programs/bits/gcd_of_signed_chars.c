// gnomon: true
// Remainders of small numbers in wide types: circuits need no more bits than the numbers have.
extern signed char __VERIFIER_nondet_char(void);
extern void __VERIFIER_error(void);
static signed char gcd(signed char a, signed char b)
{
    if (a < 0)
        a = -a;
    if (b < 0)
        b = -b;
    while (b != 0) {
        signed char rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}
int main(void)
{
    signed char x = __VERIFIER_nondet_char(), y = __VERIFIER_nondet_char();
    signed char g = gcd(x, y);
    if (x > 0 && x < g)
        __VERIFIER_error();
    return 0;
}
