// gnomon: true
// Every request is completed exactly once, on the fast path or after it was pending.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum { FREE, ISSUED, PENDING, COMPLETED };

static int irp = FREE;

static void issue(void)
{
    if (irp == ISSUED || irp == PENDING)
        reach_error();
    irp = ISSUED;
}

static void complete(void)
{
    if (irp != ISSUED && irp != PENDING)
        reach_error();
    irp = COMPLETED;
}

static int dispatch(void)
{
    int length = __VERIFIER_nondet_int();
    if (length <= 0) {
        complete();
        return -22;
    }
    if (__VERIFIER_nondet_int()) {
        irp = PENDING;
        return 259;
    }
    complete();
    return 0;
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        issue();
        int status = dispatch();
        if (status == 259) {
            while (__VERIFIER_nondet_int())
                ;
            complete();
        }
        if (irp != COMPLETED)
            reach_error();
    }
    return 0;
}
