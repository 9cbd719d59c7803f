// gnomon: true
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    char *a = malloc(10), *b = malloc(10);
    free(a);
    b[3] = 1;
    free(b);
    return 0;
}
