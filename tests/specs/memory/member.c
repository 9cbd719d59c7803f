// gnomon: false 12 memory is used after it was freed
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
int main(void)
{
    struct node *n = malloc(sizeof *n);
    n->next = 0;
    free(n);
    return n->value;
}
