// gnomon: false
// The cell kept is that of the latest iteration, not of the first as the check believes.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int *keep = 0;
    int round = 0;
    while (__VERIFIER_nondet_int() && round < 10) {
        int *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        *fresh = round;
        if (!keep || round % 4 == 3)
            keep = fresh;
        round++;
    }
    if (keep && *keep != 0)
        reach_error();
    return 0;
}
