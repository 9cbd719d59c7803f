// gnomon: true
// The difference of two variables is kept by a loop that a third controls.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 1000)
        return 0;
    int y = x + 5;
    while (__VERIFIER_nondet_int()) {
        if (y > 1000000)
            break;
        x += 3;
        y += 3;
    }
    if (y - x != 5)
        reach_error();
    return 0;
}
