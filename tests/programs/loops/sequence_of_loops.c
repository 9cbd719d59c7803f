// gnomon: true
// A second loop undoes what the first did, step by step.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int depth = 0, i;
    if (n < 0)
        return 0;
    for (i = 0; i < n; i++)
        depth++;
    for (i = n; i > 0; i--) {
        if (depth <= 0)
            reach_error();
        depth--;
    }
    if (depth != 0)
        reach_error();
    return 0;
}
