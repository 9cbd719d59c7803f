// gnomon: false 10 memory is freed twice
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int *p = malloc(8);
    free(p);
    free(p);
    return 0;
}
