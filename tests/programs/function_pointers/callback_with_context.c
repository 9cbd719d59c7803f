// gnomon: true
// A callback receives its context by pointer and counts the elements above a limit.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct counter {
    int limit;
    int seen;
};

static void visit_all(const int *a, int n, void (*visit)(int, void *), void *context)
{
    for (int i = 0; i < n; i++)
        visit(a[i], context);
}

static void count(int value, void *context)
{
    struct counter *c = context;
    if (value > c->limit)
        c->seen++;
}

int main(void)
{
    int a[3] = {__VERIFIER_nondet_int(), __VERIFIER_nondet_int(), __VERIFIER_nondet_int()};
    struct counter c = {10, 0};
    visit_all(a, 3, count, &c);
    if (c.seen < 0 || c.seen > 3)
        reach_error();
    if (c.seen == 3 && a[0] <= 10)
        reach_error();
    if (c.seen == 0 && a[2] > 10)
        reach_error();
    return 0;
}
