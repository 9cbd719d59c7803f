// gnomon: true
// A list from outside is followed as deep as the program goes.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node { struct node *next; int value; };
void f(struct node *list)
{
    if (!list || !list->next || !list->next->next)
        return;
    struct node *third = list->next->next;
    third->value = 5;
    if (list->next->next == third && third->value != 5)
        reach_error();
}

extern struct node *from_outside(void);

int main(void)
{
    f(from_outside());
    return 0;
}
