// gnomon: true
// Two pointers of different speed meet in a ring of three nodes.
extern void *malloc(unsigned long);
extern void __VERIFIER_error(void);
extern int __VERIFIER_nondet_int(void);

struct node {
    struct node *next;
};

int main(void)
{
    struct node *a = malloc(sizeof *a), *b = malloc(sizeof *b), *c = malloc(sizeof *c);
    if (!a || !b || !c)
        return 0;
    int ring = __VERIFIER_nondet_int();
    a->next = b;
    b->next = c;
    c->next = ring ? a : 0;
    struct node *slow = a, *fast = a;
    int met = 0;
    while (fast && fast->next) {
        slow = slow->next;
        fast = fast->next->next;
        if (slow == fast) {
            met = 1;
            break;
        }
    }
    if (met != (ring != 0))
        __VERIFIER_error();
    return 0;
}
