// gnomon: false 7 a null pointer is followed
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
int main(void)
{
    struct node a = { 0, 1 }, b = { &a, 2 }, *p = &b;
    while (p->value != 7)
        p = p->next;
    return 0;
}
