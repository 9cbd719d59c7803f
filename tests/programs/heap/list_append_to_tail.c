// gnomon: true
// Appending through a pointer to the last link keeps the order of arrival.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void __VERIFIER_error(void);

struct node {
    int order;
    struct node *next;
};

int main(void)
{
    struct node *head = 0;
    struct node **link = &head;
    int count = 0;
    while (count < 4 && __VERIFIER_nondet_int() != 0) {
        struct node *n = malloc(sizeof *n);
        if (!n)
            break;
        n->order = count++;
        n->next = 0;
        *link = n;
        link = &n->next;
    }
    int expected = 0;
    for (struct node *p = head; p; p = p->next) {
        if (p->order != expected)
            __VERIFIER_error();
        expected++;
    }
    if (expected != count)
        __VERIFIER_error();
    return 0;
}
