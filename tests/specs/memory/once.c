// gnomon: true
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int *p = malloc(4 * sizeof *p);
    p[2] = 5;
    free(p);
    return 0;
}
