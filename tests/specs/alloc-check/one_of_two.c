// gnomon: false 10 the result of an allocation is used before it is compared with null
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void free(void *), abort(void);
extern char *strcpy(char *, const char *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int *p = malloc(4), *q = malloc(4);
    if (p)
        *q = 1;
    return 0;
}
