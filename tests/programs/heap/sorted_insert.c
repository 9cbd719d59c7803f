// gnomon: true
// Insertion into a sorted list of at most four nodes keeps it sorted.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);

struct node {
    int key;
    struct node *next;
};

static struct node *insert(struct node *head, int key)
{
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return head;
    fresh->key = key;
    if (!head || key <= head->key) {
        fresh->next = head;
        return fresh;
    }
    struct node *p = head;
    while (p->next && p->next->key < key)
        p = p->next;
    fresh->next = p->next;
    p->next = fresh;
    return head;
}

int main(void)
{
    struct node *head = 0;
    for (int i = 0; i < 4; i++)
        head = insert(head, __VERIFIER_nondet_int());
    for (struct node *p = head; p && p->next; p = p->next)
        if (p->key > p->next->key)
            reach_error();
    return 0;
}
