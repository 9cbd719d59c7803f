// gnomon: false 4 a null pointer is followed
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
static int value(struct node *p) { return p->value; }
int main(void)
{
    struct node n = { 0, 1 };
    int k = value(&n);
    return k == 1 ? value(n.next) : 0;
}
