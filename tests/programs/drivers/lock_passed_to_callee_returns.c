// gnomon: false
// The callee releases the lock on a bad sector and returns, and its caller releases it again.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

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

static int add_request(int sector)
{
    if (sector < 0) {
        unlock_irq();
        return -5;
    }
    return 0;
}

static void make_request(int sector)
{
    lock_irq();
    int rc = add_request(sector);
    if (rc != -1)
        unlock_irq();
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        make_request(__VERIFIER_nondet_int());
    return 0;
}
