// gnomon: false
// The machine has a shortcut from start to stop which skips the work.
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
    state = stop;
}

static void start(void)
{
    int input = __VERIFIER_nondet_int();
    if (input > 0)
        state = work;
    else if (input == -7)
        state = stop;
}

int main(void)
{
    state = start;
    for (int i = 0; i < 5; i++)
        state();
    return 0;
}
