// gnomon: false
// The clamp is called with its bounds exchanged.
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
    int x = __VERIFIER_nondet_int();
    int r = clamp(x, 5, -5);
    if (x >= -5 && x <= 5 && r != x)
        reach_error();
    return 0;
}
