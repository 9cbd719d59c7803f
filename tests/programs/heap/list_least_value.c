// gnomon: true
// Nothing in the list is below the minimum that was kept while it was built.
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    int val;
    struct node *next;
};

int main(void)
{
    struct node *list = NULL;
    int min = 1000000;
    while (__VERIFIER_nondet_int()) {
        struct node *p = malloc(sizeof *p);
        p->val = __VERIFIER_nondet_int();
        p->next = list;
        list = p;
        if (p->val < min)
            min = p->val;
    }
    for (struct node *p = list; p; p = p->next)
        if (p->val < min)
            reach_error();
    return 0;
}
