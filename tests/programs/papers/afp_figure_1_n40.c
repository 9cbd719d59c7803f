// gnomon: true
// Abstractions from Proofs, Figure 1 for n = 40: each condition matters only between its two tests.
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
    int p21 = __VERIFIER_nondet_int();
    int p22 = __VERIFIER_nondet_int();
    int p23 = __VERIFIER_nondet_int();
    int p24 = __VERIFIER_nondet_int();
    int p25 = __VERIFIER_nondet_int();
    int p26 = __VERIFIER_nondet_int();
    int p27 = __VERIFIER_nondet_int();
    int p28 = __VERIFIER_nondet_int();
    int p29 = __VERIFIER_nondet_int();
    int p30 = __VERIFIER_nondet_int();
    int p31 = __VERIFIER_nondet_int();
    int p32 = __VERIFIER_nondet_int();
    int p33 = __VERIFIER_nondet_int();
    int p34 = __VERIFIER_nondet_int();
    int p35 = __VERIFIER_nondet_int();
    int p36 = __VERIFIER_nondet_int();
    int p37 = __VERIFIER_nondet_int();
    int p38 = __VERIFIER_nondet_int();
    int p39 = __VERIFIER_nondet_int();
    int p40 = __VERIFIER_nondet_int();
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
        if (p21)
            lock();
        if (p21)
            unlock();
        if (p22)
            lock();
        if (p22)
            unlock();
        if (p23)
            lock();
        if (p23)
            unlock();
        if (p24)
            lock();
        if (p24)
            unlock();
        if (p25)
            lock();
        if (p25)
            unlock();
        if (p26)
            lock();
        if (p26)
            unlock();
        if (p27)
            lock();
        if (p27)
            unlock();
        if (p28)
            lock();
        if (p28)
            unlock();
        if (p29)
            lock();
        if (p29)
            unlock();
        if (p30)
            lock();
        if (p30)
            unlock();
        if (p31)
            lock();
        if (p31)
            unlock();
        if (p32)
            lock();
        if (p32)
            unlock();
        if (p33)
            lock();
        if (p33)
            unlock();
        if (p34)
            lock();
        if (p34)
            unlock();
        if (p35)
            lock();
        if (p35)
            unlock();
        if (p36)
            lock();
        if (p36)
            unlock();
        if (p37)
            lock();
        if (p37)
            unlock();
        if (p38)
            lock();
        if (p38)
            unlock();
        if (p39)
            lock();
        if (p39)
            unlock();
        if (p40)
            lock();
        if (p40)
            unlock();
    }
    return 0;
}
