// gnomon: true
// A callee that ends the program protects its caller from bad values.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void exit(int);

static void require(int condition)
{
    if (!condition)
        exit(1);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    require(n > 0);
    require(n < 100);
    int m = 100 - n;
    if (m <= 0 || m >= 100)
        reach_error();
    return 0;
}
