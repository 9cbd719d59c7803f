// gnomon: false
// The sum of some digits exceeds forty after five rounds at the earliest.
// inputs: 9 9 9 9 9 0
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 6; i++) {
        int digit = __VERIFIER_nondet_int();
        if (digit < 0 || digit > 9)
            return 0;
        sum += digit;
    }
    if (sum > 40)
        reach_error();
    return 0;
}
