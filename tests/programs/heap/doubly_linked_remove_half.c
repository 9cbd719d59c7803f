// gnomon: false
// The removal corrects only the forward link.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct link {
    struct link *prev, *next;
};

static void unlink_node(struct link *l)
{
    if (l->prev)
        l->prev->next = l->next;
}

int main(void)
{
    struct link *a = malloc(sizeof *a), *b = malloc(sizeof *b), *c = malloc(sizeof *c);
    if (!a || !b || !c)
        return 0;
    a->prev = 0;
    a->next = b;
    b->prev = a;
    b->next = c;
    c->prev = b;
    c->next = 0;
    int n = __VERIFIER_nondet_int();
    if (n == 1)
        unlink_node(c);
    if (n == 2)
        unlink_node(b);
    for (struct link *p = a; p->next; p = p->next)
        if (p->next->prev != p)
            reach_error();
    return 0;
}
