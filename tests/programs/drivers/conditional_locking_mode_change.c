// gnomon: false
// The mode that decides about the lock changes during the transfer.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int lock, shared;

static void spin_lock(void)
{
    if (lock != 0)
        reach_error();
    lock = 1;
}

static void spin_unlock(void)
{
    if (lock != 1)
        reach_error();
    lock = 0;
}

static void interrupt(void)
{
    if (__VERIFIER_nondet_int() == 8)
        shared = !shared;
}

int main(void)
{
    shared = __VERIFIER_nondet_int() != 0;
    for (int i = 0; i < 4; i++) {
        if (shared)
            spin_lock();
        interrupt();
        if (shared)
            spin_unlock();
    }
    return 0;
}
