// gnomon: true
// Two locks are always taken in the same order and released in the reverse one.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int device_lock, queue_lock;

static void take_device(void)
{
    if (device_lock || queue_lock)
        reach_error();
    device_lock = 1;
}

static void take_queue(void)
{
    if (!device_lock || queue_lock)
        reach_error();
    queue_lock = 1;
}

static void drop_queue(void)
{
    if (!queue_lock)
        reach_error();
    queue_lock = 0;
}

static void drop_device(void)
{
    if (queue_lock || !device_lock)
        reach_error();
    device_lock = 0;
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        take_device();
        int n = __VERIFIER_nondet_int();
        while (n > 0) {
            take_queue();
            if (__VERIFIER_nondet_int())
                n = 1;
            drop_queue();
            n--;
        }
        drop_device();
    }
    return 0;
}
