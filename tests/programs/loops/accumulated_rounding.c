// gnomon: false
// Repeated integer halving and doubling loses a unit now and then, until the budget is gone.
// inputs: 23
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_error(void);

int main(void)
{
    unsigned budget = __VERIFIER_nondet_uint();
    if (budget < 16 || budget > 63)
        return 0;
    unsigned start = budget;
    for (int i = 0; i < 4; i++)
        budget = (budget >> i) << i;
    if (start - budget == 7)
        __VERIFIER_error();
    return 0;
}
