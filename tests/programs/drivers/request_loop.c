// gnomon: true
// A driver takes requests off its queue under a lock and drops the lock to serve each one.
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int lock_held;
static unsigned queued;

static void acquire(void)
{
    if (lock_held)
        reach_error();
    lock_held = 1;
}

static void release(void)
{
    if (!lock_held)
        reach_error();
    lock_held = 0;
}

int main(void)
{
    queued = __VERIFIER_nondet_uint();
    unsigned packets, seen;
    do {
        acquire();
        seen = queued;
        packets = seen;
        if (packets > 0) {
            packets--;
            release();
            /* Serve the request without the lock. */
            queued = packets;
        }
    } while (packets != seen);
    release();
    return 0;
}
