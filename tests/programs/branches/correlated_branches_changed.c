// gnomon: false
// The input is changed between the two tests, and what was opened stays open.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int use_cache = __VERIFIER_nondet_int();
    int open = 0;
    if (use_cache > 0)
        open = 1;
    if (use_cache > 1000)
        use_cache = 0;
    if (use_cache > 0)
        open = 0;
    if (open)
        reach_error();
    return 0;
}
