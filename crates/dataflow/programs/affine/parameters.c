// gnomon: true
// A relation that comes through the parameters and the result of a function.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int scaled(int base, int steps)
{
    int value = base, done = 0;
    while (done < steps) {
        value += 4;
        done++;
    }
    if (value != base + 4 * done)
        reach_error();
    return value;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000)
        return 0;
    return scaled(n, n) == 0;
}
