// gnomon: true
// Every call increments the depth and every return takes it back.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int depth;

static void descend(int n)
{
    depth++;
    while (n > 0 && __VERIFIER_nondet_int()) {
        descend(n - 1);
        n--;
    }
    depth--;
}

int main(void)
{
    descend(__VERIFIER_nondet_int());
    if (depth != 0)
        reach_error();
    return 0;
}
