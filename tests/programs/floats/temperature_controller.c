// gnomon: true
// A controller loop over a float input switches the heater by thresholds with hysteresis.
// slow: not decided by 20 million units of work
extern float __VERIFIER_nondet_float(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int heater = 0;
    while (__VERIFIER_nondet_int()) {
        float t = __VERIFIER_nondet_float();
        if (t < 18.5f)
            heater = 1;
        else if (t > 21.5f)
            heater = 0;
        if (heater && t > 21.5f)
            reach_error();
        if (!heater && t < 18.5f)
            reach_error();
    }
    return 0;
}
