// gnomon: true
// A clamp function delivers a value inside its bounds.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int clamp(int x, int low, int high)
{
    if (x < low)
        return low;
    if (x > high)
        return high;
    return x;
}

int main(void)
{
    int r = clamp(__VERIFIER_nondet_int(), -5, 5);
    if (r < -5 || r > 5)
        reach_error();
    return 0;
}
