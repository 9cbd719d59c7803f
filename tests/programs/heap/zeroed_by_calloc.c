// gnomon: true
// Memory from calloc reads as zero before it is written.
extern void *calloc(unsigned long, unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 6)
        return 0;
    int *v = calloc(n, sizeof *v);
    if (!v)
        return 0;
    for (int i = 0; i < n; i++)
        if (v[i] != 0)
            reach_error();
    v[n - 1] = 3;
    if (n > 1 && v[0] != 0)
        reach_error();
    return 0;
}
