// gnomon: false 10 the result of an allocation is used before it is compared with null
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void free(void *), abort(void);
extern char *strcpy(char *, const char *);
extern int __VERIFIER_nondet_int(void);
struct point { int x, y; };
int main(void)
{
    struct point *p = malloc(sizeof *p);
    p->x = 1;
    if (!p)
        return 1;
    p->y = 2;
    return 0;
}
