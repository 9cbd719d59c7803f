// gnomon: true
// Entries of a handler table may be missing; the dispatcher checks before it calls.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int handled;

static void on_start(void) { handled |= 1; }
static void on_stop(void) { handled |= 2; }

int main(void)
{
    void (*handlers[4])(void) = {on_start, 0, on_stop, 0};
    while (__VERIFIER_nondet_int()) {
        int event = __VERIFIER_nondet_int();
        if (event < 0 || event > 3)
            continue;
        if (handlers[event])
            handlers[event]();
        else if (event != 1 && event != 3)
            reach_error();
    }
    if (handled & ~3)
        reach_error();
    return 0;
}
