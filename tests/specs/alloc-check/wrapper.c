// gnomon: true
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void free(void *), abort(void);
extern char *strcpy(char *, const char *);
extern int __VERIFIER_nondet_int(void);
static void *xalloc(unsigned long n)
{
    void *p = malloc(n);
    if (p == 0)
        abort();
    return p;
}
int main(void)
{
    int *p = xalloc(4);
    *p = 1;
    return 0;
}
