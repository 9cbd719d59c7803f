// gnomon: true
// The code behind a loop that never ends is not reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int state = 1;
    while (state) {
        if (__VERIFIER_nondet_int() > 3)
            state = 2;
        else
            state = 1;
    }
    reach_error();
    return 0;
}
