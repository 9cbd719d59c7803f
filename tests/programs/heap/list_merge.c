// gnomon: false
// Merging two sorted lists drops the rest of the longer one.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void __VERIFIER_error(void);

struct node {
    int key;
    struct node *next;
};

static struct node *push(int key, struct node *next)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        return next;
    n->key = key;
    n->next = next;
    return n;
}

static int length(struct node *l)
{
    int n = 0;
    for (; l; l = l->next)
        n++;
    return n;
}

static struct node *merge(struct node *a, struct node *b)
{
    struct node *head = 0, **tail = &head;
    while (a && b) {
        struct node **smaller = a->key <= b->key ? &a : &b;
        *tail = *smaller;
        tail = &(*smaller)->next;
        *smaller = (*smaller)->next;
    }
    *tail = a;
    return head;
}

int main(void)
{
    struct node *a = push(__VERIFIER_nondet_int(), 0);
    struct node *b = push(1, push(5, 0));
    int before = length(a) + length(b);
    if (length(merge(a, b)) != before)
        __VERIFIER_error();
    return 0;
}
