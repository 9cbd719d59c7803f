// gnomon: true
// A global counter equals the number of calls, made from two places.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int calls;

static void touch(void)
{
    calls++;
}

int main(void)
{
    int expected = 0;
    while (expected < 1000000 && __VERIFIER_nondet_int()) {
        touch();
        expected++;
        if (expected < 1000 && __VERIFIER_nondet_int()) {
            touch();
            expected++;
        }
    }
    if (calls != expected)
        reach_error();
    return 0;
}
