// gnomon: false
// One of the insertions forgets the range check on the value.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);

struct node {
    int value;
    struct node *next;
};

static struct node *push(struct node *head, int value)
{
    struct node *fresh = malloc(sizeof *fresh);
    if (!fresh)
        return head;
    fresh->value = value;
    fresh->next = head;
    return fresh;
}

int main(void)
{
    struct node *head = 0;
    int v = __VERIFIER_nondet_int();
    if (v >= 0 && v <= 100)
        head = push(head, v);
    v = __VERIFIER_nondet_int();
    if (v >= 0)
        head = push(head, v);
    v = __VERIFIER_nondet_int();
    if (v >= 0 && v <= 100)
        head = push(head, v);
    for (; head; head = head->next)
        if (head->value > 100)
            reach_error();
    return 0;
}
