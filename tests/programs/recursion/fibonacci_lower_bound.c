// gnomon: true
// A Fibonacci number is at least its index minus one.
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
    if (n < -100 || n > 20)
        return 0;
    if (fibonacci(n) < n - 1)
        reach_error();
    return 0;
}
