// gnomon: false
// The error path completes the request and still reports it as pending.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum { FREE, ISSUED, PENDING, COMPLETED };

static int irp = FREE;

static void complete(void)
{
    if (irp == COMPLETED)
        reach_error();
    irp = COMPLETED;
}

static int dispatch(void)
{
    int length = __VERIFIER_nondet_int();
    int status = 0;
    if (__VERIFIER_nondet_int() > 0) {
        irp = PENDING;
        status = 259;
    }
    if (length > 4096 || status == 0)
        complete();
    return status;
}

int main(void)
{
    int requests = 0;
    while (__VERIFIER_nondet_int() && requests < 8) {
        irp = ISSUED;
        requests++;
        if (dispatch() == 259)
            complete();
    }
    return 0;
}
