// gnomon: false
// The walk is clamped below only, and leaves the interval above after some steps.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int position = 50;
    for (int t = 0; t < 100; t++) {
        int step = __VERIFIER_nondet_int();
        if (step < -10 || step > 10)
            continue;
        position += step;
        if (position < 0)
            position = 0;
        if (position > 100)
            reach_error();
    }
    return 0;
}
