// gnomon: true memory
// A list of three nodes is built, walked and freed.
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
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return 0;
}
