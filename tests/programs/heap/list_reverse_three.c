// gnomon: true
// Reversing a list of three nodes in place exchanges first and last.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);

struct node {
    int value;
    struct node *next;
};

static struct node *reverse(struct node *list)
{
    struct node *result = 0;
    while (list) {
        struct node *rest = list->next;
        list->next = result;
        result = list;
        list = rest;
    }
    return result;
}

int main(void)
{
    struct node *head = 0;
    int values[3];
    for (int i = 0; i < 3; i++) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            return 0;
        values[i] = __VERIFIER_nondet_int();
        fresh->value = values[i];
        fresh->next = head;
        head = fresh;
    }
    head = reverse(head);
    if (head->value != values[0])
        reach_error();
    if (head->next->value != values[1])
        reach_error();
    if (head->next->next->value != values[2])
        reach_error();
    return 0;
}
