// gnomon: true
// A search loop that breaks early has found the value or run to the end.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int found = 0, i;
    for (i = 0; i < n; i++) {
        if (__VERIFIER_nondet_int() == 13) {
            found = 1;
            break;
        }
    }
    if (!found && i < n)
        reach_error();
    if (found && i >= n)
        reach_error();
    return 0;
}
