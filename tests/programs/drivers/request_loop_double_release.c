// gnomon: false
// The lock is released inside the loop also when no request was taken.
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int lock_held;

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
    unsigned queued = __VERIFIER_nondet_uint();
    unsigned before;
    do {
        acquire();
        before = queued;
        if (queued > 0)
            queued--;
        release();
    } while (queued != before);
    release();
    return 0;
}
