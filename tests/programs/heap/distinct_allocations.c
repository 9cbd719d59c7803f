// gnomon: true
// Two live allocations never have the same address.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int *p = malloc(sizeof(int));
    int *q = malloc(sizeof(int));
    if (!p || !q)
        return 0;
    if (p == q)
        reach_error();
    *p = __VERIFIER_nondet_int();
    int saved = *p;
    *q = 5;
    if (*p != saved)
        reach_error();
    return 0;
}
