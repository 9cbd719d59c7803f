// gnomon: true
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int n = __VERIFIER_nondet_int();
    while (n-- > 0) {
        int *p = malloc(sizeof *p);
        *p = n;
        free(p);
    }
    return 0;
}
