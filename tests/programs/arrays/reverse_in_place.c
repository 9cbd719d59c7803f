// gnomon: true
// Reversing an array of five in place exchanges first and last and keeps the middle.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[5], first, middle, last;
    for (int i = 0; i < 5; i++)
        a[i] = __VERIFIER_nondet_int();
    first = a[0];
    middle = a[2];
    last = a[4];
    for (int i = 0, j = 4; i < j; i++, j--) {
        int t = a[i];
        a[i] = a[j];
        a[j] = t;
    }
    if (a[0] != last || a[4] != first || a[2] != middle)
        reach_error();
    return 0;
}
