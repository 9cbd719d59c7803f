// gnomon: true
// A struct passed by value is not changed by the callee.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct point {
    int x, y;
};

static int shifted_sum(struct point p)
{
    p.x = 0;
    return p.y;
}

int main(void)
{
    struct point p;
    p.x = __VERIFIER_nondet_int();
    p.y = __VERIFIER_nondet_int();
    int x = p.x;
    int r = shifted_sum(p);
    if (p.x != x || r != p.y)
        reach_error();
    return 0;
}
