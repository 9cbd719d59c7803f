// gnomon: true
// Every element is at least its index plus two, for any length.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int a[100000];

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int j = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000 || j < 1 || j > 99)
        return 0;
    for (int i = 0; i < n; i++)
        a[i] = i + j + 1;
    for (int i = 0; i < n; i++)
        if (a[i] < i + 2)
            reach_error();
    return 0;
}
