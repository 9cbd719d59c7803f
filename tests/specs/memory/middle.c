// gnomon: false 10 the middle of an object is freed
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    char *p = malloc(10);
    p++;
    free(p);
    return 0;
}
