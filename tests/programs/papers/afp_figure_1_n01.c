// gnomon: true
// Abstractions from Proofs, Figure 1 for n = 1: the condition matters only between its two tests.
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
    while (__VERIFIER_nondet_int()) {
        if (p1)
            lock();
        if (p1)
            unlock();
    }
    return 0;
}
