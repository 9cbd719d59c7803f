// gnomon: true
// Abstractions from Proofs, Example 3: the summary of inc serves two calls in a loop.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int inc(int x)
{
    x = x + 1;
    return x;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int a = 0, b = 0;
    while (a < n) {
        a = inc(a);
        b = inc(b);
    }
    if (a != b)
        reach_error();
    return 0;
}
