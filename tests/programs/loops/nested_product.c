// gnomon: true
// An inner loop that runs to the outer bound leaves the inner counter at it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int m = __VERIFIER_nondet_int();
    if (n < 0 || m < 0)
        return 0;
    int i, j = 0;
    for (i = 0; i < n; i++) {
        for (j = 0; j < m; j++)
            ;
        if (j != m)
            reach_error();
    }
    if (i != n)
        reach_error();
    return 0;
}
