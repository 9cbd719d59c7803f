// gnomon: true
// The recursive length of a list with up to three nodes is the number of nodes built.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void exit(int);
extern void reach_error(void);

struct node {
    struct node *next;
};

static int length(const struct node *list)
{
    if (!list)
        return 0;
    return 1 + length(list->next);
}

static struct node *build(int n)
{
    struct node *list = 0;
    for (int i = 0; i < n; i++) {
        struct node *fresh = malloc(sizeof *fresh);
        if (!fresh)
            exit(0);
        fresh->next = list;
        list = fresh;
    }
    return list;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 3)
        return 0;
    if (length(build(n)) != n)
        reach_error();
    return 0;
}
