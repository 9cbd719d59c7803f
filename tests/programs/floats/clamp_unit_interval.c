// gnomon: true
// A value clamped to the unit interval lies in it, whatever it was, NaN excluded.
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

static float clamp(float x)
{
    if (!(x >= 0.0f))
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
