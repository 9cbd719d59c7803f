// gnomon: false
// Abstractions from Proofs, Figure 1 for n = 10, but condition 7 changes between its two tests.
// inputs: 0 0 0 0 0 0 3 1 0 0 1
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
    int p6 = __VERIFIER_nondet_int();
    int p7 = __VERIFIER_nondet_int();
    int p8 = __VERIFIER_nondet_int();
    int p9 = __VERIFIER_nondet_int();
    int p10 = __VERIFIER_nondet_int();
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
        if (p6)
            lock();
        if (p6)
            unlock();
        if (p7)
            lock();
        if (p7 == 3)
            p7 = 0;
        if (p7)
            unlock();
        if (p8)
            lock();
        if (p8)
            unlock();
        if (p9)
            lock();
        if (p9)
            unlock();
        if (p10)
            lock();
        if (p10)
            unlock();
    }
    return 0;
}
