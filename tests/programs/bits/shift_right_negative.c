// gnomon: false
// A shift to the right of minus one is not zero, however far.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int n = __VERIFIER_nondet_int() & 31;
    if (x >= -16 && x < 16 && n > 4) {
        if (x >> n != 0)
            reach_error();
    }
    return 0;
}
