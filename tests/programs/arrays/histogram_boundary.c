// gnomon: false
// A sample on the boundary of two bins is counted twice.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned bins[2] = {0, 0};
    unsigned samples = 0;
    while (samples < 8) {
        unsigned v = __VERIFIER_nondet_uint();
        if (v <= 10)
            bins[0]++;
        if (v >= 10)
            bins[1]++;
        samples++;
    }
    if (bins[0] + bins[1] != samples)
        reach_error();
    return 0;
}
