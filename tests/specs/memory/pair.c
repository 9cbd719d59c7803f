// gnomon: true
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
struct pair { int *first, *second; };
int main(void)
{
    struct pair *p = malloc(sizeof *p);
    p->first = malloc(sizeof(int));
    *p->first = 1;
    free(p->first);
    free(p);
    return 0;
}
