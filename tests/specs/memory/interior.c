// gnomon: false 10 memory is used after it was freed
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int *p = malloc(4 * sizeof *p), *q = p + 2;
    free(p);
    return *q;
}
