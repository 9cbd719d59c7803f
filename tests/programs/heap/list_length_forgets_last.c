// gnomon: false
// Counting with a test of the next pointer misses the last node.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);

struct node {
    struct node *next;
};

int main(void)
{
    struct node *head = 0;
    int count = 0;
    while (count < 6 && __VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            return 0;
        fresh->next = head;
        head = fresh;
        count++;
    }
    int length = 0;
    if (head)
        for (struct node *p = head; p->next; p = p->next)
            length++;
    if (length != count)
        reach_error();
    return 0;
}
