// gnomon: false
// Registering a handler twice drops the first, so an event is lost.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void (*handler)(int *);

static void register_handler(void (*h)(int *))
{
    handler = h;
}

static void log_event(int *log) { *log += 1; }
static void count_event(int *log) { *log += 100; }

int main(void)
{
    int log = 0, expected = 0;
    register_handler(log_event);
    if (__VERIFIER_nondet_int())
        register_handler(count_event);
    for (int i = 0; i < 3; i++) {
        if (__VERIFIER_nondet_int()) {
            handler(&log);
            expected++;
        }
    }
    if (log % 100 != expected)
        reach_error();
    return 0;
}
