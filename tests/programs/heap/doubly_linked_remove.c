// gnomon: true
// Removing the middle of a doubly linked list of three nodes links its neighbours.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct link {
    struct link *prev, *next;
    int id;
};

static void unlink_node(struct link *l)
{
    if (l->prev)
        l->prev->next = l->next;
    if (l->next)
        l->next->prev = l->prev;
}

int main(void)
{
    struct link *a = malloc(sizeof *a), *b = malloc(sizeof *b), *c = malloc(sizeof *c);
    if (!a || !b || !c)
        return 0;
    a->id = 1;
    b->id = 2;
    c->id = 3;
    a->prev = 0;
    a->next = b;
    b->prev = a;
    b->next = c;
    c->prev = b;
    c->next = 0;
    struct link *victim = __VERIFIER_nondet_int() ? b : c;
    unlink_node(victim);
    if (a->next == victim)
        reach_error();
    if (a->next && a->next->prev != a)
        reach_error();
    if (a->next && a->next->next && a->next->next->id != 3)
        reach_error();
    return 0;
}
