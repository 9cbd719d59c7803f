extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int units;

static int take(int n)
{
    if (n == 0)
        return units;
    return take(n - 1);
}

int main(void)
{
    int path = __VERIFIER_nondet_int();
    if (path > 0) {
        units = 2;
        path = 1;
    } else {
        units = 0;
    }
    if (take(1) == 0)
        reach_error();
    return path;
}
