// gnomon: true
// The sum of the first n numbers equals the closed formula, which is nonlinear.
// known-failing: not decided within a minute either
// slow: not decided by 20 million units of work
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n > 1000)
        return 0;
    unsigned sum = 0;
    for (unsigned i = 1; i <= n; i++)
        sum += i;
    if (2 * sum != n * (n + 1))
        reach_error();
    return 0;
}
