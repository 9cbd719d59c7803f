// gnomon: false
// One link in the chain of calls forgets to subtract.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int level4(int x) { return x; }
static int level3(int x) { return level4(x + 1) - 1; }
static int level2(int x) { return x > 0 ? level3(x + 1) : level3(x); }
static int level1(int x) { return level2(x + 1) - 1; }

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < -100 || x > 100)
        return 0;
    if (level1(x) != x)
        reach_error();
    return 0;
}
