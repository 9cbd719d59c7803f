// gnomon: true
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    char *p = 0;
    free(p);
    if (__VERIFIER_nondet_int())
        p = malloc(8);
    free(p);
    return 0;
}
