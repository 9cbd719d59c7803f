// gnomon: true
// Elements of one array lie in order.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int a[8];
int main(void)
{
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 6)
        return 0;
    int *p = &a[i], *q = &a[i + 1];
    if (!(p < q))
        reach_error();
    return 0;
}
