// gnomon: true
// The right side of a conjunction is evaluated only if the left side holds.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int calls;

static int expensive(int x)
{
    calls++;
    return x > 0;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int cheap = x > 10;
    int r = cheap && expensive(x);
    if (!cheap && calls != 0)
        reach_error();
    if (cheap && (calls != 1 || !r))
        reach_error();
    if (cheap || expensive(x)) {
        if (x <= 0)
            reach_error();
    }
    return 0;
}
