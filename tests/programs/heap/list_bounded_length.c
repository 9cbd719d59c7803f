// gnomon: true
// A list grown by prepending has as many nodes as were counted, up to four.
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
    while (count < 4 && __VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        fresh->next = head;
        head = fresh;
        count++;
    }
    int length = 0;
    for (struct node *p = head; p; p = p->next)
        length++;
    if (length != count)
        reach_error();
    return 0;
}
