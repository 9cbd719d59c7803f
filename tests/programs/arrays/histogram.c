// gnomon: true
// The counts of a histogram with three bins add up to the number of samples.
// slow: not decided by 20 million units of work
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned bins[3] = {0, 0, 0};
    unsigned samples = 0;
    unsigned n = __VERIFIER_nondet_uint();
    while (samples < n) {
        unsigned v = __VERIFIER_nondet_uint();
        if (v < 10)
            bins[0]++;
        else if (v < 20)
            bins[1]++;
        else
            bins[2]++;
        samples++;
    }
    if (bins[0] + bins[1] + bins[2] != n)
        reach_error();
    return 0;
}
