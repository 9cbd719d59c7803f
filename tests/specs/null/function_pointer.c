// gnomon: false 8 a null pointer is followed
extern int __VERIFIER_nondet_int(void);
struct node { struct node *next; int value; };
static int one(void) { return 1; }
int main(void)
{
    int (*f)(void) = __VERIFIER_nondet_int() ? one : 0;
    return f();
}
