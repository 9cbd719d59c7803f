// gnomon: false
// Entered in its middle, the loop counts one unit less.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int rounds = 0, units = 0;
    if (__VERIFIER_nondet_int() > 0)
        goto inside;
    while (rounds < 5 && __VERIFIER_nondet_int()) {
        units++;
    inside:
        rounds++;
    }
    if (units != rounds)
        reach_error();
    return 0;
}
