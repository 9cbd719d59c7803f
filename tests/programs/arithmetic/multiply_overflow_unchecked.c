// gnomon: false
// The product of a count and a size wraps to a small number.
// inputs: 178956971
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned count = __VERIFIER_nondet_uint();
    unsigned total = count * 24;
    if (total < 100 && count > 100)
        reach_error();
    return 0;
}
