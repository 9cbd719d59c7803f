// gnomon: false
// The timer counts ticks and turns the motor off while a request waits.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int motor, requests, idle;

static void queue_request(void)
{
    if (requests == 0)
        motor = 1;
    if (requests < 5)
        requests++;
}

static void do_request(void)
{
    if (requests > 0) {
        if (!motor)
            reach_error();
        requests--;
        idle = 0;
    }
}

static void timer(void)
{
    idle++;
    if (idle >= 3) {
        motor = 0;
        idle = 0;
    }
}

int main(void)
{
    for (int step = 0; step < 20; step++) {
        int event = __VERIFIER_nondet_int();
        if (event > 0)
            queue_request();
        else if (event == 0)
            do_request();
        else
            timer();
    }
    return 0;
}
