// gnomon: false
// A product of two primes has these factors and no others: found by searching backwards through a multiplier.
// inputs: 241 251
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint();
    if (x > 1 && y > 1 && x < 256 && y < 256 && x < y && x * y == 60491)
        reach_error();
    return 0;
}
