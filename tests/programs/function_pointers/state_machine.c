// gnomon: true
// A machine whose state is a function pointer visits its stop state only after work.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef void (*state_function)(void);

static state_function state;
static int worked;

static void stop(void)
{
    if (!worked)
        reach_error();
}

static void work(void)
{
    worked = 1;
    if (__VERIFIER_nondet_int())
        state = stop;
}

static void start(void)
{
    if (__VERIFIER_nondet_int())
        state = work;
}

int main(void)
{
    state = start;
    while (__VERIFIER_nondet_int())
        state();
    return 0;
}
