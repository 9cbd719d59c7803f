// gnomon: true
// An array of pointers to objects, all with small contents.
// slow: was not decided by 20 million units of work when it was seen last
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct item {
    int data;
};

static struct item *table[1000];

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000)
        return 0;
    for (int i = 0; i < n; i++) {
        int data = __VERIFIER_nondet_int();
        if (data < 0 || data > 10)
            data = 5;
        table[i] = malloc(sizeof(struct item));
        table[i]->data = data;
    }
    for (int i = 0; i < n; i++)
        if (table[i]->data < 0 || table[i]->data > 10)
            reach_error();
    return 0;
}
