// gnomon: true
// A loop of two phases: the second begins when the first has reached its goal.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000000)
        return 0;
    int fill = 0, drain = 0, filling = 1;
    while (filling || fill > 0) {
        if (filling) {
            fill++;
            if (fill == n)
                filling = 0;
        } else {
            fill--;
            drain++;
        }
        if (fill < 0 || fill > n)
            reach_error();
        if (!filling && fill + drain != n)
            reach_error();
    }
    if (drain != n)
        reach_error();
    return 0;
}
