// gnomon: false
// The loop visits the element behind the last one.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[11];
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 10)
        return 0;
    for (int i = 0; i <= n; i++) {
        if (i >= n)
            reach_error();
        a[i] = i;
    }
    return a[0];
}
