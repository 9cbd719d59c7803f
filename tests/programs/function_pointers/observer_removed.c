// gnomon: false
// An observer that removes itself while it is notified makes the loop skip its successor.
// inputs: 4
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

static void (*observers[3])(void);
static int count, notified;

static void plain(void)
{
    notified++;
}

static void once(void)
{
    notified++;
    for (int i = 0; i + 1 < count; i++)
        observers[i] = observers[i + 1];
    count--;
}

int main(void)
{
    observers[0] = __VERIFIER_nondet_int() == 4 ? once : plain;
    observers[1] = plain;
    observers[2] = plain;
    count = 3;
    for (int i = 0; i < count; i++)
        observers[i]();
    if (notified != 3)
        __VERIFIER_error();
    return 0;
}
