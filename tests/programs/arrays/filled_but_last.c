// gnomon: false
// The loop that fills the array stops one element too early.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int a[100000];

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000)
        return 0;
    for (int i = 0; i < n - 1; i++)
        a[i] = i + 1;
    for (int i = 0; i < n; i++)
        if (a[i] == 0)
            reach_error();
    return 0;
}
