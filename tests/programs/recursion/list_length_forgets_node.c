// gnomon: false
// The recursive length treats the last node as the end.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void reach_error(void);

struct node {
    struct node *next;
};

static int length(const struct node *list)
{
    if (!list || !list->next)
        return 0;
    return 1 + length(list->next);
}

int main(void)
{
    struct node *list = 0;
    int count = 0;
    while (count < 3 && __VERIFIER_nondet_int()) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            return 0;
        fresh->next = list;
        list = fresh;
        count++;
    }
    if (length(list) != count)
        reach_error();
    return 0;
}
