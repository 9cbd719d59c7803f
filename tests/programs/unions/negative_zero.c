// gnomon: false
// A float that compares equal to zero can still have its sign bit set.
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

union pun {
    float f;
    unsigned int u;
};

int main(void)
{
    union pun p;
    float x = __VERIFIER_nondet_float();
    if (!(x >= -1.0f && x <= 1.0f))
        return 0;
    p.f = x * 0.0f;
    if (p.f == 0.0f && p.u != 0)
        reach_error();
    return 0;
}
