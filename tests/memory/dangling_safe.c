// gnomon: true
// The function gives back what its caller owns.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

static int *larger(int *a, int *b)
{
    return *a > *b ? a : b;
}

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    return *larger(&x, &y) == 7;
}
