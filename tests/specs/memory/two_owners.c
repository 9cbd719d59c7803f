// gnomon: false 7 memory is freed twice
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
struct buffer { char *data; };
static void clean(struct buffer *b) { free(b->data); }
int main(void)
{
    struct buffer a, b;
    a.data = malloc(16);
    b = a;
    clean(&a);
    if (__VERIFIER_nondet_int() > 3)
        clean(&b);
    return 0;
}
