// gnomon: false
// A continue skips the update of the second counter.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int(), processed = 0, i;
    if (n < 0 || n > 30)
        return 0;
    for (i = 0; i < n; i++) {
        int item = __VERIFIER_nondet_int();
        if (item == 0)
            continue;
        processed++;
    }
    if (processed != n)
        reach_error();
    return 0;
}
