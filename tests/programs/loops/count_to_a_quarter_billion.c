// gnomon: false
// A bug behind 180 million iterations without inputs: the counter is odd when it passes the end.
extern void __VERIFIER_error(void);
int main(void)
{
    unsigned steps = 0, level = 0;
    while (level < 0x0fffffff) {
        if (level < 70001)
            level += 1;
        else
            level += 2;
        steps++;
    }
    if (level % 2 == 1)
        __VERIFIER_error();
    return 0;
}
