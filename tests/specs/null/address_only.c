// gnomon: true
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
int main(void)
{
    struct node n = { 0, 4 }, *p = 0;
    int **unused = 0;
    p = &n;
    int *v = &p->value;
    return unused ? 1 : *v;
}
