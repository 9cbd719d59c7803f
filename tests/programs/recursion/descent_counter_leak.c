// gnomon: false
// A return in the middle does not take the depth back.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int depth;

static void descend(int n)
{
    depth++;
    if (n == 4)
        return;
    if (n > 0)
        descend(n - 1);
    depth--;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 12)
        return 0;
    descend(n);
    if (depth != 0)
        reach_error();
    return 0;
}
