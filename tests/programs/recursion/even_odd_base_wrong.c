// gnomon: false
// A wrong base case makes the number one even.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int is_odd(int n);

static int is_even(int n)
{
    return n <= 1 ? 1 : is_odd(n - 1);
}

static int is_odd(int n)
{
    return n <= 0 ? 0 : is_even(n - 1);
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 9)
        return 0;
    if (is_even(n) && n % 2 == 1)
        reach_error();
    return 0;
}
