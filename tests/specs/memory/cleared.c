// gnomon: true
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
int *shared;
static void drop(void)
{
    free(shared);
    shared = 0;
}
int main(void)
{
    shared = calloc(2, sizeof *shared);
    drop();
    drop();
    return 0;
}
