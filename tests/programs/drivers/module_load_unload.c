// gnomon: true
// The kernel calls driver functions only between a successful start and the stop.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int registered, irq_enabled;

static int driver_init(void)
{
    registered = 1;
    if (__VERIFIER_nondet_int()) {
        registered = 0;
        return -19;
    }
    irq_enabled = 1;
    return 0;
}

static void driver_exit(void)
{
    if (!registered || !irq_enabled)
        reach_error();
    irq_enabled = 0;
    registered = 0;
}

static void driver_write(void)
{
    if (!irq_enabled)
        reach_error();
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        if (driver_init() != 0)
            continue;
        while (__VERIFIER_nondet_int())
            driver_write();
        driver_exit();
    }
    if (registered || irq_enabled)
        reach_error();
    return 0;
}
