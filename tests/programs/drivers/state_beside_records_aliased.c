// gnomon: false
// The same, but what is done with a record unlocks too, now and then.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct request {
    int kind, size;
    struct request *next;
    char name[24];
};

static int held;
static unsigned served;

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

static void note(struct request *r, int status)
{
    if (r->size > 100)
        r->size = status;
    for (int i = 0; i < 23; i++)
        r->name[i] = r->name[i + 1];
    served = served * 31 + (unsigned)r->size;
    if (served % 4 == 2)
        held = 0;
}

static int serve(struct request *r)
{
    int status = 0;
    while (r) {
        lock();
        note(r, status);
        if (r->kind == 3) {
            unlock();
            return 1;
        }
        r->next->kind = r->kind + 1;
        status += r->size;
        unlock();
        if (status > 100)
            break;
        r = r->next;
    }
    return 0;
}

int entry(struct request *r)
{
    int result = serve(r);
    lock();
    note(r, result);
    unlock();
    return held;
}

static struct request second, first = {0, 0, &second, "first"}, second = {0, 0, &first, "second"};

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        first.kind = __VERIFIER_nondet_int() & 7;
        first.size = __VERIFIER_nondet_int() & 127;
        second.size = __VERIFIER_nondet_int() & 127;
        entry(&first);
    }
    return 0;
}
