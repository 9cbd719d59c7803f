// gnomon: false
// On a timeout the driver takes the buffer back without stopping the device.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum owner { CPU, DEVICE };

static enum owner owner = CPU;

int main(void)
{
    int in_flight = 0, ticks = 0;
    while (__VERIFIER_nondet_int()) {
        if (!in_flight) {
            if (owner != CPU)
                reach_error();
            owner = DEVICE;
            in_flight = 1;
            ticks = 0;
        } else if (__VERIFIER_nondet_int() > 0) {
            owner = CPU;
            in_flight = 0;
        } else if (++ticks > 3) {
            in_flight = 0;
        }
    }
    return 0;
}
