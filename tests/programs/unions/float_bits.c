// gnomon: true
// The sign bit of a float, read through a union, is that of an ordered negative number.
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

union pun {
    float f;
    unsigned int u;
};

int main(void)
{
    union pun p;
    p.f = __VERIFIER_nondet_float();
    if (p.f < 0.0f && !(p.u >> 31))
        reach_error();
    if (p.f > 0.0f && (p.u >> 31))
        reach_error();
    return 0;
}
