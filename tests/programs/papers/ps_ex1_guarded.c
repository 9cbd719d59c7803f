// gnomon: true
// Path Slicing, Ex1 with the case a <= 0 excluded: the value of the complex function keeps x off zero.
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static unsigned complex(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    unsigned divisor = 2;
    while (divisor < n && n % divisor != 0)
        divisor++;
    return divisor;
}

int main(void)
{
    int a = __VERIFIER_nondet_int();
    int x = 0;
    unsigned r = complex();
    if (a > 0)
        x = (int)(r & 0xff) + 1;
    if (a > 0 && x == 0)
        reach_error();
    return 0;
}
