// gnomon: true
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void free(void *), abort(void);
extern char *strcpy(char *, const char *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int *p = malloc(4);
    if (p != 0)
        *p = 1;
    return 0;
}
