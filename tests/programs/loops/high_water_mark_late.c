// gnomon: false
// The mark is updated before the level grows, and lags behind.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int level = 0, mark = 0;
    while (__VERIFIER_nondet_int()) {
        if (level > mark)
            mark = level;
        int change = __VERIFIER_nondet_int();
        if (change > 0 && level < 10)
            level++;
        else if (change < 0 && level > 0)
            level--;
    }
    if (mark < level)
        reach_error();
    return 0;
}
