// gnomon: false
// A break leaves the inner loop with the queue lock still held.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int device_lock, queue_lock;

static void drop_device(void)
{
    if (queue_lock || !device_lock)
        reach_error();
    device_lock = 0;
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        device_lock = 1;
        int n = __VERIFIER_nondet_int();
        while (n > 0) {
            queue_lock = 1;
            if (__VERIFIER_nondet_int() == 11)
                break;
            queue_lock = 0;
            n--;
        }
        drop_device();
    }
    return 0;
}
