// gnomon: true
// Elements are only ever set to small numbers, at places from outside.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int a[1000];

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        int at = __VERIFIER_nondet_int();
        int value = __VERIFIER_nondet_int();
        if (at >= 0 && at < 1000 && value >= 0 && value <= 9)
            a[at] = value;
    }
    for (int i = 0; i < 1000; i++)
        if (a[i] > 9)
            reach_error();
    return 0;
}
