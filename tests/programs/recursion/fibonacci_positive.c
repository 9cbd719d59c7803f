// gnomon: true
// Fibonacci numbers by recursion are never negative for the arguments allowed.
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
    if (n > 15)
        return 0;
    int f = fibonacci(n);
    if (f < 0)
        reach_error();
    return 0;
}
