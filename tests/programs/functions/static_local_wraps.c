// gnomon: false
// The ticket wraps around after fifteen calls and is no longer increasing.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static unsigned next_ticket(void)
{
    static unsigned ticket;
    ticket = (ticket + 1) & 15;
    return ticket;
}

int main(void)
{
    unsigned last = 0;
    while (__VERIFIER_nondet_int()) {
        unsigned t = next_ticket();
        if (t <= last)
            reach_error();
        last = t;
    }
    return 0;
}
