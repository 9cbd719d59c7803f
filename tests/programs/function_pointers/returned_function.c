// gnomon: true
// A function that returns a function: the one chosen for negative numbers negates.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int identity(int x) { return x; }
static int negate(int x) { return -x; }

static int (*normaliser(int x))(int)
{
    return x < 0 ? negate : identity;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < -10000 || x > 10000)
        return 0;
    int r = normaliser(x)(x);
    if (r < 0)
        reach_error();
    if (r != x && r != -x)
        reach_error();
    return 0;
}
