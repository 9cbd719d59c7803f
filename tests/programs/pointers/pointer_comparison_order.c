// gnomon: true
// Elements of an array compare by address as their indices do.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void __VERIFIER_assume(int);

int main(void)
{
    int a[8] = {0};
    int i = __VERIFIER_nondet_int();
    int j = __VERIFIER_nondet_int();
    __VERIFIER_assume(i >= 0 && i < 8);
    __VERIFIER_assume(j >= 0 && j < 8);
    int *p = &a[i], *q = &a[j];
    if ((p < q) != (i < j))
        reach_error();
    if ((p == q) != (i == j))
        reach_error();
    if (p - q != i - j)
        reach_error();
    return 0;
}
