// gnomon: false
// Only one combination of three inputs opens the lock.
// inputs: 17 -4 1021
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a = __VERIFIER_nondet_int();
    int b = __VERIFIER_nondet_int();
    int c = __VERIFIER_nondet_int();
    if (a == 17)
        if (b == -4)
            if (c - a * 60 == 1)
                reach_error();
    return 0;
}
