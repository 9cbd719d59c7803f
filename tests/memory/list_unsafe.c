// gnomon: false memory
// The next node is looked for in the one that was freed.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

int main(void)
{
    struct node *head = 0;
    for (int i = 0; i < 3; i++) {
        struct node *new = malloc(sizeof *new);
        new->next = head;
        new->value = __VERIFIER_nondet_int();
        head = new;
    }
    for (; head; head = head->next)
        free(head);
    return 0;
}
