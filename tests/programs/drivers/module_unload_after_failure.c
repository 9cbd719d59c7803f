// gnomon: false
// The error code of the start is compared with the wrong sign, and stop runs after a failure.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int registered, irq_enabled;

static int driver_init(void)
{
    registered = 1;
    int irq = __VERIFIER_nondet_int();
    if (irq < 0 || irq > 15)
        return -19;
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

int main(void)
{
    for (int i = 0; i < 2; i++) {
        if (driver_init() > 0)
            continue;
        driver_exit();
    }
    return 0;
}
