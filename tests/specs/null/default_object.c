// gnomon: true
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
static int zero;
int main(void)
{
    int x = 3, *p = 0;
    if (__VERIFIER_nondet_int() > 0)
        p = &x;
    if (p == 0)
        p = &zero;
    return *p;
}
