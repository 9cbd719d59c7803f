// gnomon: false
// The test for powers of two accepts zero.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    int power = (x & (x - 1)) == 0;
    if (power && x < 1)
        reach_error();
    return 0;
}
