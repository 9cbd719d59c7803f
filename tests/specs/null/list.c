// gnomon: true
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
int main(void)
{
    struct node a = { 0, 1 }, b = { &a, 2 };
    int sum = 0;
    for (struct node *p = &b; p; p = p->next)
        sum += p->value;
    return sum;
}
