// gnomon: false
// Lazy Abstraction, Figure 1 with the assignment to old moved out of the loop: the lock is taken twice.
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

int main(void)
{
    unsigned new = __VERIFIER_nondet_uint(), old;
    old = new;
    do {
        lock();
        if (__VERIFIER_nondet_int()) {
            unlock();
            new++;
        }
    } while (new != old);
    unlock();
    return 0;
}
