// gnomon: true
// The values of a list of any length stay between 10 and 20.
// slow: was not decided by 20 million units of work when it was seen last
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct node {
    int val;
    struct node *next;
};

int main(void)
{
    struct node *list = NULL, *p;
    while (__VERIFIER_nondet_int()) {
        int x = __VERIFIER_nondet_int();
        if (x < 10 || x > 20)
            continue;
        p = malloc(sizeof *p);
        p->val = x;
        p->next = list;
        list = p;
    }
    for (;;)
        for (p = list; p; p = p->next) {
            if (p->val < 10 || p->val > 20)
                reach_error();
            if (p->val < 20)
                p->val++;
            else
                p->val /= 2;
        }
}
