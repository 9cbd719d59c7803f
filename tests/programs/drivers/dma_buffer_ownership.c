// gnomon: true
// A buffer belongs to the processor or to the device, and each touches only its own.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum owner { CPU, DEVICE };

static enum owner owner = CPU;
static int filled;

static void cpu_fill(void)
{
    if (owner != CPU)
        reach_error();
    filled = 1;
}

static void submit(void)
{
    if (owner != CPU || !filled)
        reach_error();
    owner = DEVICE;
}

static void device_done(void)
{
    if (owner != DEVICE)
        reach_error();
    filled = 0;
    owner = CPU;
}

int main(void)
{
    int in_flight = 0;
    while (__VERIFIER_nondet_int()) {
        if (!in_flight) {
            cpu_fill();
            if (__VERIFIER_nondet_int() < 0)
                continue;
            submit();
            in_flight = 1;
        } else if (__VERIFIER_nondet_int()) {
            device_done();
            in_flight = 0;
        }
    }
    return 0;
}
