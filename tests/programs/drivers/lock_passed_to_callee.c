// gnomon: true
// A spin lock is taken in one function and released in another, except where the callee failed.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
extern void abort(void);

static int locked;

static void lock_irq(void)
{
    if (locked)
        reach_error();
    locked = 1;
}

static void unlock_irq(void)
{
    if (!locked)
        reach_error();
    locked = 0;
}

static void bug(void)
{
    abort();
}

static void add_request(int sector)
{
    if (sector < 0) {
        unlock_irq();
        bug();
    }
    if (__VERIFIER_nondet_int()) {
        unlock_irq();
        lock_irq();
    }
}

static void make_request(int sector)
{
    lock_irq();
    while (__VERIFIER_nondet_int()) {
        unlock_irq();
        lock_irq();
    }
    add_request(sector);
    unlock_irq();
}

int main(void)
{
    while (__VERIFIER_nondet_int())
        make_request(__VERIFIER_nondet_int());
    return 0;
}
