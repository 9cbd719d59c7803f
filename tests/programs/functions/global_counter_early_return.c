// gnomon: false
// An early return skips the count.
// inputs: 1 100 0
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int calls;

static int touch(int x)
{
    if (x == 100)
        return 0;
    calls++;
    return x;
}

int main(void)
{
    int expected = 0;
    while (__VERIFIER_nondet_int()) {
        touch(__VERIFIER_nondet_int());
        expected++;
        if (expected == 5)
            break;
    }
    if (calls != expected)
        reach_error();
    return 0;
}
