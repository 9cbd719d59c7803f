// gnomon: false
// All pointers of the array lead to one object, which the last one changes.
// slow: not decided by 20 million units of work
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
    if (n < 2 || n > 1000)
        return 0;
    struct item *one = malloc(sizeof(struct item));
    for (int i = 0; i < n; i++) {
        table[i] = one;
        table[i]->data = i;
    }
    for (int i = 0; i < n; i++)
        if (table[i]->data != i)
            reach_error();
    return 0;
}
