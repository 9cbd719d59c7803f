// gnomon: true
// Exchanging the contents of two heap nodes leaves their links alone.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void abort(void);
extern void reach_error(void);
static void __VERIFIER_assert(int cond)
{
    if (!cond) {
    ERROR:
        reach_error();
        abort();
    }
}

struct node {
    int value;
    struct node *next;
};

int main(void)
{
    struct node *a = malloc(sizeof(struct node));
    struct node *b = malloc(sizeof(struct node));
    if (a == 0 || b == 0)
        abort();
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    a->value = x;
    a->next = b;
    b->value = y;
    b->next = 0;
    int t = a->value;
    a->value = a->next->value;
    a->next->value = t;
    __VERIFIER_assert(a->value == y);
    __VERIFIER_assert(b->value == x);
    __VERIFIER_assert(a->next == b);
    return 0;
}
