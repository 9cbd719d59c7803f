// gnomon: false
// The Fibonacci number with index seven is thirteen, which the assertion denies.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int fibonacci(int n)
{
    if (n < 1)
        return 0;
    if (n == 1)
        return 1;
    return fibonacci(n - 1) + fibonacci(n - 2);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n == 7 && fibonacci(n) == 13)
        reach_error();
    return 0;
}
