// gnomon: true
// Abstractions from Proofs, Figure 1 for n = 20: each condition matters only between its two tests.
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
    int p11 = __VERIFIER_nondet_int();
    int p12 = __VERIFIER_nondet_int();
    int p13 = __VERIFIER_nondet_int();
    int p14 = __VERIFIER_nondet_int();
    int p15 = __VERIFIER_nondet_int();
    int p16 = __VERIFIER_nondet_int();
    int p17 = __VERIFIER_nondet_int();
    int p18 = __VERIFIER_nondet_int();
    int p19 = __VERIFIER_nondet_int();
    int p20 = __VERIFIER_nondet_int();
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
        if (p11)
            lock();
        if (p11)
            unlock();
        if (p12)
            lock();
        if (p12)
            unlock();
        if (p13)
            lock();
        if (p13)
            unlock();
        if (p14)
            lock();
        if (p14)
            unlock();
        if (p15)
            lock();
        if (p15)
            unlock();
        if (p16)
            lock();
        if (p16)
            unlock();
        if (p17)
            lock();
        if (p17)
            unlock();
        if (p18)
            lock();
        if (p18)
            unlock();
        if (p19)
            lock();
        if (p19)
            unlock();
        if (p20)
            lock();
        if (p20)
            unlock();
    }
    return 0;
}
