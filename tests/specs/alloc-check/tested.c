// gnomon: true
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void free(void *), abort(void);
extern char *strcpy(char *, const char *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int *p = malloc(4);
    if (!p)
        return 1;
    *p = 1;
    free(p);
    return 0;
}
