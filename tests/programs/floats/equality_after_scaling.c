// gnomon: false
// Scaling a float down and up again does not always give it back.
// inputs: 7
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_error(void);

int main(void)
{
    float x = __VERIFIER_nondet_float();
    if (!(x >= 1.0f && x <= 49.0f))
        return 0;
    float y = x / 49.0f;
    if (y * 49.0f != x)
        __VERIFIER_error();
    return 0;
}
