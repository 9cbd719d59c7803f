// gnomon: false
// Deletion of the first match does not look at the head of the list.
// inputs: 3
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void __VERIFIER_error(void);

struct node {
    int key;
    struct node *next;
};

static struct node *push(struct node *list, int key)
{
    struct node *n = malloc(sizeof *n);
    if (!n)
        return list;
    n->key = key;
    n->next = list;
    return n;
}

static void delete_key(struct node *list, int key)
{
    for (struct node *p = list; p && p->next; p = p->next)
        if (p->next->key == key) {
            struct node *victim = p->next;
            p->next = victim->next;
            free(victim);
            return;
        }
}

int main(void)
{
    struct node *list = 0;
    list = push(list, 1);
    list = push(list, 2);
    list = push(list, 3);
    int key = __VERIFIER_nondet_int();
    delete_key(list, key);
    for (struct node *p = list; p; p = p->next)
        if (p->key == key)
            __VERIFIER_error();
    return 0;
}
