// gnomon: false
// The recursive call is made with the lock held.
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
    held = 0;
}

static void walk(int depth)
{
    if (depth <= 0)
        return;
    lock();
    if (__VERIFIER_nondet_int() < 0 && depth > 3)
        walk(depth - 1);
    unlock();
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    walk(n);
    return 0;
}
