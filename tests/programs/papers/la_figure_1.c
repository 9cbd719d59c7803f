// gnomon: true
// Lazy Abstraction, Figure 1: the locking example; its proof needs new = old in one part and got_lock = 0 in another.
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int LOCK;

static void lock(void)
{
    if (LOCK == 0)
        LOCK = 1;
    else
        reach_error();
}

static void unlock(void)
{
    if (LOCK == 1)
        LOCK = 0;
    else
        reach_error();
}

static void Example(void)
{
    int got_lock;
    unsigned new = __VERIFIER_nondet_uint(), old;
    if (__VERIFIER_nondet_int()) {
        do {
            got_lock = 0;
            if (__VERIFIER_nondet_int()) {
                lock();
                got_lock++;
            }
            if (got_lock)
                unlock();
        } while (__VERIFIER_nondet_int());
    }
    do {
        lock();
        old = new;
        if (__VERIFIER_nondet_int()) {
            unlock();
            new++;
        }
    } while (new != old);
    unlock();
}

int main(void)
{
    Example();
    return 0;
}
