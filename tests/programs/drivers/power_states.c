// gnomon: true
// A device does input and output only in full power, and every transition goes through standby.
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

static void wake(void)
{
    if (power == OFF)
        set_power(STANDBY);
    if (power == STANDBY)
        set_power(FULL);
}

static void sleep_device(void)
{
    if (power == FULL)
        set_power(STANDBY);
    if (power == STANDBY && __VERIFIER_nondet_int())
        set_power(OFF);
}

static void do_io(void)
{
    if (power != FULL)
        wake();
    if (power != FULL)
        reach_error();
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            do_io();
        else
            sleep_device();
    }
    return 0;
}
