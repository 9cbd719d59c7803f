// gnomon: true
// The average computed without overflow lies between the two numbers.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned low = __VERIFIER_nondet_uint();
    unsigned high = __VERIFIER_nondet_uint();
    if (low > high)
        return 0;
    unsigned middle = low + (high - low) / 2;
    if (middle < low || middle > high)
        reach_error();
    return 0;
}
