// gnomon: false
// The loop body writes through a pointer that may name the loop counter.
// inputs: 12
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int i = 0, junk = 0, rounds = 0;
    int *p = &junk;
    if (__VERIFIER_nondet_int() == 12)
        p = &i;
    while (i < 10) {
        i++;
        rounds++;
        *p = 9;
        if (rounds > 15)
            __VERIFIER_error();
    }
    return 0;
}
