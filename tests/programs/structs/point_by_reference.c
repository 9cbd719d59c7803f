// gnomon: false
// A struct passed by reference is changed by the callee, which the caller forgets.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct point {
    int x, y;
};

static int take_x(struct point *p)
{
    int x = p->x;
    p->x = 0;
    return x;
}

int main(void)
{
    struct point p = {__VERIFIER_nondet_int(), 7};
    int first = take_x(&p);
    int second = take_x(&p);
    if (first != second)
        reach_error();
    return 0;
}
