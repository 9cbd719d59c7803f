// gnomon: true
// A flag toggled in every round tells the parity of the counter.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    unsigned i = 0;
    int odd = 0;
    while (i < n) {
        odd = !odd;
        i++;
    }
    if (odd != (int)(n & 1))
        reach_error();
    return 0;
}
