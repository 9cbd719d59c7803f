// gnomon: true
// A random walk that is clamped on both sides stays in its interval.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int position = 50;
    while (__VERIFIER_nondet_int()) {
        int step = __VERIFIER_nondet_int();
        if (step < -10 || step > 10)
            continue;
        position += step;
        if (position < 0)
            position = 0;
        if (position > 100)
            position = 100;
        if (position < 0 || position > 100)
            reach_error();
    }
    return 0;
}
