// gnomon: true
// The floppy driver reads only with the motor on, and turns it off only when no request is left.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int motor, requests;

static void queue_request(void)
{
    if (requests < 64)
        requests++;
    motor = 1;
}

static void do_request(void)
{
    if (requests == 0)
        return;
    if (!motor)
        reach_error();
    requests--;
}

static void timer(void)
{
    if (requests == 0)
        motor = 0;
}

int main(void)
{
    for (;;) {
        int event = __VERIFIER_nondet_int();
        if (event == 0)
            break;
        if (event == 1)
            queue_request();
        else if (event == 2)
            do_request();
        else
            timer();
        if (requests > 0 && !motor)
            reach_error();
    }
    return 0;
}
