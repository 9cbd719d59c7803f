// gnomon: true
// A 64-bit accumulator of 32-bit inputs does not overflow within the bounded number of rounds.
// known-failing: not decided within a minute either
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    long sum = 0;
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000)
        return 0;
    for (int i = 0; i < n; i++) {
        int x = __VERIFIER_nondet_int();
        if (x > 0)
            sum += x;
    }
    if (sum < 0)
        reach_error();
    return 0;
}
