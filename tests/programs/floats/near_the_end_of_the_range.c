// gnomon: false
// The polynomial exceeds its bound only near the ends of the range of the input.
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_error(void);
int main(void)
{
    float x = __VERIFIER_nondet_float();
    __VERIFIER_assume(x > -1.4f && x < 1.4f);
    float f = x - x * x * x / 6.0f + x * x * x * x * x / 120.0f + x * x * x * x * x * x * x / 5040.0f;
    float d = 1 - x * x / 2.0f + x * x * x * x / 24.0f + x * x * x * x * x * x / 720.0f;
    float next = x - f / d;
    if (!(next < 0.5f))
        __VERIFIER_error();
    return 0;
}
