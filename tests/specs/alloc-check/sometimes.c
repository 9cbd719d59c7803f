// gnomon: false 11 the result of an allocation is used before it is compared with null
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void free(void *), abort(void);
extern char *strcpy(char *, const char *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int *p = malloc(4), n = __VERIFIER_nondet_int();
    if (n > 0 && !p)
        return 1;
    *p = n;
    return 0;
}
