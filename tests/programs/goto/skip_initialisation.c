// gnomon: true
// A jump over an assignment leaves the value from before.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int mode = 1;
    if (__VERIFIER_nondet_int() > 5)
        goto skip;
    mode = 2;
skip:
    if (mode != 1 && mode != 2)
        reach_error();
    mode++;
    if (mode == 2)
        goto one;
    if (mode != 3)
        reach_error();
    return 0;
one:
    if (mode == 3)
        reach_error();
    return 0;
}
