// gnomon: true
// Abstractions from Proofs, Figure 1 for n = 5: each condition matters only between its two tests.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int locked;

static void lock(void)
{
    if (locked)
        reach_error();
    locked = 1;
}

static void unlock(void)
{
    if (!locked)
        reach_error();
    locked = 0;
}

int main(void)
{
    int p1 = __VERIFIER_nondet_int();
    int p2 = __VERIFIER_nondet_int();
    int p3 = __VERIFIER_nondet_int();
    int p4 = __VERIFIER_nondet_int();
    int p5 = __VERIFIER_nondet_int();
    while (__VERIFIER_nondet_int()) {
        if (p1)
            lock();
        if (p1)
            unlock();
        if (p2)
            lock();
        if (p2)
            unlock();
        if (p3)
            lock();
        if (p3)
            unlock();
        if (p4)
            lock();
        if (p4)
            unlock();
        if (p5)
            lock();
        if (p5)
            unlock();
    }
    return 0;
}
