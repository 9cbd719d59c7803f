// gnomon: true
// A recursive walk takes and gives back a lock at every level.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int held;

static void lock(void)
{
    if (held)
        reach_error();
    held = 1;
}

static void unlock(void)
{
    if (!held)
        reach_error();
    held = 0;
}

static void walk(int depth)
{
    if (depth <= 0)
        return;
    lock();
    unlock();
    if (__VERIFIER_nondet_int())
        walk(depth - 1);
    lock();
    unlock();
}

int main(void)
{
    walk(__VERIFIER_nondet_int());
    if (held)
        reach_error();
    return 0;
}
