// gnomon: false
// The average computed by halving the sum is wrong when the sum wraps.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned low = __VERIFIER_nondet_uint();
    unsigned high = __VERIFIER_nondet_uint();
    if (low > high)
        return 0;
    unsigned middle = (low + high) / 2;
    if (middle < low)
        reach_error();
    return 0;
}
