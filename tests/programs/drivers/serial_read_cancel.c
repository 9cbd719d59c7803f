// gnomon: false
// Cancelling a pending read finishes it, but the interrupt finishes it again.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int read_pending;
static int started, finished;

static void start_read(void)
{
    if (!read_pending && started < 100) {
        started++;
        read_pending = 1;
    }
}

static void cancel(void)
{
    if (read_pending)
        finished++;
}

static void interrupt(void)
{
    if (read_pending) {
        finished++;
        read_pending = 0;
    }
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        switch (__VERIFIER_nondet_int()) {
        case 0:
            start_read();
            break;
        case 1:
            cancel();
            break;
        default:
            interrupt();
        }
        if (finished > started)
            reach_error();
    }
    return 0;
}
