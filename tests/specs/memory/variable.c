// gnomon: false 10 a variable is freed
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
int main(void)
{
    int x = 1;
    int *p = __VERIFIER_nondet_int() ? malloc(4) : &x;
    free(p);
    return 0;
}
