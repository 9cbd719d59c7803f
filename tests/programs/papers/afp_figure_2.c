// gnomon: true
// Abstractions from Proofs, Figure 2: the trace in which x = ctr - 1 is the interpolant after two operations.
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned ctr = __VERIFIER_nondet_uint();
    unsigned m = __VERIFIER_nondet_uint();
    unsigned x, y;
    x = ctr;
    ctr = ctr + 1;
    y = ctr;
    if (x == m)
        if (y != m + 1)
            reach_error();
    return 0;
}
