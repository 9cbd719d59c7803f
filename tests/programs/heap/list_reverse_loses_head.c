// gnomon: false
// A reversal that forgets the first node returns a list that is one node short.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);

struct node {
    struct node *next;
};

static struct node *reverse(struct node *list)
{
    struct node *result = 0;
    if (!list)
        return 0;
    struct node *current = list->next;
    while (current) {
        struct node *rest = current->next;
        current->next = result;
        result = current;
        current = rest;
    }
    return result;
}

int main(void)
{
    struct node *head = 0;
    int count = 0;
    for (int i = 0; i < 3; i++) {
        if (__VERIFIER_nondet_int()) {
            struct node *fresh = malloc(sizeof *fresh);
            if (!fresh)
                return 0;
            fresh->next = head;
            head = fresh;
            count++;
        }
    }
    head = reverse(head);
    while (head) {
        count--;
        head = head->next;
    }
    if (count > 0)
        reach_error();
    return 0;
}
