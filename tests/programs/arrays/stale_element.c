// gnomon: false
// The element that was written last is not the one that the check reads, for one pair of indices.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[4] = {0, 0, 0, 0};
    int i = __VERIFIER_nondet_int() & 3;
    int j = __VERIFIER_nondet_int() & 3;
    a[i] = 1;
    a[j] = 2;
    if (i != 3 && a[i] != 1)
        reach_error();
    return 0;
}
