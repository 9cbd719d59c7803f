// gnomon: false
// When opening fails half-way the device counts as open without a buffer.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int storage;
static int *buffer;
static int open_count;

static int mouse_open(void)
{
    open_count++;
    if (__VERIFIER_nondet_int() < 0)
        return -12;
    buffer = &storage;
    return 0;
}

static void mouse_close(void)
{
    if (open_count > 0 && --open_count == 0)
        buffer = 0;
}

static void mouse_interrupt(int data)
{
    if (open_count == 0)
        return;
    if (!buffer)
        reach_error();
    *buffer = data;
}

int main(void)
{
    for (int i = 0; i < 6; i++) {
        int event = __VERIFIER_nondet_int();
        if (event == 1)
            mouse_open();
        else if (event == 2)
            mouse_close();
        else
            mouse_interrupt(event);
    }
    return 0;
}
