// gnomon: false
// The maximum does not look at the first element.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int a[5000];

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int max = 0;
    if (n < 0 || n > 5000)
        return 0;
    for (int i = 0; i < n; i++) {
        a[i] = __VERIFIER_nondet_int();
        if (i > 0 && a[i] > max)
            max = a[i];
    }
    for (int i = 0; i < n; i++)
        if (a[i] > max)
            reach_error();
    return 0;
}
