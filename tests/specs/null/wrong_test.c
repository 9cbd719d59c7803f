// gnomon: false 8 a null pointer is followed
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
int main(void)
{
    struct node n = { 0, 1 }, *p = __VERIFIER_nondet_int() ? &n : 0;
    if (!p)
        return p->value;
    return 0;
}
