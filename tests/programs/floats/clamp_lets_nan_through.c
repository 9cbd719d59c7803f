// gnomon: false
// The clamp tests for values out of range, and NaN passes both tests.
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

static float clamp(float x)
{
    if (x < 0.0f)
        return 0.0f;
    if (x > 1.0f)
        return 1.0f;
    return x;
}

int main(void)
{
    float r = clamp(__VERIFIER_nondet_float());
    if (!(r >= 0.0f && r <= 1.0f))
        reach_error();
    return 0;
}
