// gnomon: false 9 a null pointer is followed
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
int main(void)
{
    int x = 3, *p = 0;
    if (__VERIFIER_nondet_int() > 0)
        p = &x;
    return *p;
}
