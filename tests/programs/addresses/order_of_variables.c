// gnomon: unknown
// Which of two variables lies first in memory is open (C 6.5.8).
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int a, b;
int main(void)
{
    int *p = &a, *q = &b;
    if (!(p < q))
        reach_error();
    return 0;
}
