// gnomon: true
// An iterator record counts down exactly as often as it delivers.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct range {
    int current, end;
};

static int has_next(const struct range *r)
{
    return r->current < r->end;
}

static int next(struct range *r)
{
    return r->current++;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    struct range r = {0, n};
    int delivered = 0;
    while (has_next(&r)) {
        int v = next(&r);
        if (v != delivered)
            reach_error();
        delivered++;
    }
    if (n >= 0 && delivered != n)
        reach_error();
    return 0;
}
