// gnomon: true
// The high-water mark is never below the current level.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int level = 0, mark = 0;
    while (__VERIFIER_nondet_int()) {
        int change = __VERIFIER_nondet_int();
        if (change > 0 && level < 10000)
            level++;
        else if (change < 0 && level > 0)
            level--;
        if (level > mark)
            mark = level;
    }
    if (mark < level)
        reach_error();
    return 0;
}
