// gnomon: unknown
// The list may be a cycle, and the second write is seen by the first.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node { struct node *next; int value; };
void f(struct node *list)
{
    if (!list || !list->next)
        return;
    list->value = 1;
    list->next->value = 2;
    if (list->value != 1)
        reach_error();
}

extern struct node *from_outside(void);

int main(void)
{
    f(from_outside());
    return 0;
}
