// gnomon: false
// An emergency goes from full power to off directly.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum power { OFF, STANDBY, FULL };

static enum power power = OFF;

static void set_power(enum power next)
{
    int step = (int)next - (int)power;
    if (step > 1 || step < -1)
        reach_error();
    power = next;
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        int event = __VERIFIER_nondet_int();
        if (event == 13)
            set_power(OFF);
        else if (event > 0 && power < FULL)
            set_power(power + 1);
        else if (event < 0 && power > OFF)
            set_power(power - 1);
    }
    return 0;
}
