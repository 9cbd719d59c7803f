// gnomon: true
// The average of two floats of moderate size lies between them.
// known-failing: not decided within a minute either
// slow: not decided by 20 million units of work
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

int main(void)
{
    float low = __VERIFIER_nondet_float();
    float high = __VERIFIER_nondet_float();
    if (!(low >= -1000.0f && high <= 1000.0f && low <= high))
        return 0;
    float middle = (low + high) / 2.0f;
    if (middle < low || middle > high)
        reach_error();
    return 0;
}
