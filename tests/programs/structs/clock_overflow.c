// gnomon: false
// A clock of hours, minutes and seconds forgets to carry from minutes to hours after the last minute.
// inputs: 59
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

struct clock {
    int hours, minutes, seconds;
};

static void tick(struct clock *c)
{
    c->seconds++;
    if (c->seconds == 60) {
        c->seconds = 0;
        c->minutes++;
    }
    if (c->minutes > 60) {
        c->minutes = 0;
        c->hours++;
    }
}

int main(void)
{
    struct clock c = {0, __VERIFIER_nondet_int(), 55};
    if (c.minutes < 0 || c.minutes > 59)
        return 0;
    for (int i = 0; i < 10; i++) {
        tick(&c);
        if (c.minutes > 59)
            __VERIFIER_error();
    }
    return 0;
}
