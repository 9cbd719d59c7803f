// gnomon: true
// The buffer of a mouse driver exists while the device is open, and reads check that it is.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);

struct mouse {
    int *buffer;
    int open_count;
};

static struct mouse device;

static int mouse_open(void)
{
    if (device.open_count > 0)
        return -16;
    int *b = malloc(sizeof(int));
    if (!b)
        return -12;
    *b = 0;
    device.buffer = b;
    device.open_count = 1;
    return 0;
}

static void mouse_close(void)
{
    if (device.open_count == 0)
        return;
    device.open_count = 0;
    free(device.buffer);
    device.buffer = 0;
}

static void mouse_interrupt(int data)
{
    if (device.open_count == 0)
        return;
    if (!device.buffer)
        reach_error();
    *device.buffer = data;
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int()) {
        case 1:
            mouse_open();
            break;
        case 2:
            mouse_close();
            break;
        default:
            mouse_interrupt(__VERIFIER_nondet_int());
        }
    }
    return 0;
}
