// gnomon: false
// A number that is not a number is neither below nor above nor equal to anything.
extern float __VERIFIER_nondet_float(void);
extern void reach_error(void);

int main(void)
{
    float x = __VERIFIER_nondet_float();
    float y = __VERIFIER_nondet_float();
    if (x < y)
        return 1;
    if (x >= y)
        return 2;
    reach_error();
    return 0;
}
