// gnomon: true
// The lock is taken only for shared devices, and the same test guards the release.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int lock;

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

static int transfer(int shared, int n)
{
    int done = 0;
    if (shared)
        spin_lock();
    while (done < n && __VERIFIER_nondet_int())
        done++;
    if (shared)
        spin_unlock();
    return done;
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        int shared = __VERIFIER_nondet_int();
        int n = __VERIFIER_nondet_int();
        int done = transfer(shared, n);
        if (n >= 0 && done > n)
            reach_error();
        if (lock)
            reach_error();
    }
    return 0;
}
