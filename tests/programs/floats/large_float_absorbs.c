// gnomon: false
// Adding one to a large float does not change it.
// inputs: 16777216
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

int main(void)
{
    float x = __VERIFIER_nondet_float();
    if (!(x > 0.0f && x < 100000000.0f))
        return 0;
    float y = x + 1.0f;
    if (y == x)
        reach_error();
    return 0;
}
