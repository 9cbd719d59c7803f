// gnomon: true
// A list of three nodes built by hand keeps its values in order.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);

struct node {
    int value;
    struct node *next;
};

int main(void)
{
    int a = __VERIFIER_nondet_int();
    struct node *n1 = malloc(sizeof *n1);
    struct node *n2 = malloc(sizeof *n2);
    struct node *n3 = malloc(sizeof *n3);
    if (!n1 || !n2 || !n3)
        return 1;
    n1->value = a;
    n1->next = n2;
    n2->value = a ^ 1;
    n2->next = n3;
    n3->value = a;
    n3->next = 0;
    if (n1->next->next->value != n1->value)
        reach_error();
    if (n1->next->value == n1->value)
        reach_error();
    if (n1->next->next->next != 0)
        reach_error();
    free(n3);
    free(n2);
    free(n1);
    return 0;
}
