// gnomon: false
// Abstractions from Proofs, Example 2 with an increment by two for one argument.
// inputs: 41
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int inc(int x)
{
    if (x == 41)
        x = x + 1;
    x = x + 1;
    return x;
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b;
    if (a < 0 || a > 100)
        return 0;
    b = inc(a);
    if (a != b - 1)
        reach_error();
    return 0;
}
