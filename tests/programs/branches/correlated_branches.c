// gnomon: true
// Two tests of the same input agree: what was opened is closed.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int use_cache = __VERIFIER_nondet_int();
    int open = 0;
    if (use_cache > 0)
        open = 1;
    int work = __VERIFIER_nondet_int();
    if (work > 100)
        work = 100;
    if (use_cache > 0) {
        if (!open)
            reach_error();
        open = 0;
    }
    if (open)
        reach_error();
    return work > 100;
}
