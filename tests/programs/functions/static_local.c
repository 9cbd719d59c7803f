// gnomon: true
// A static local variable gives out increasing tickets.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static unsigned next_ticket(void)
{
    static unsigned ticket;
    if (ticket < 1000000)
        ticket++;
    return ticket;
}

int main(void)
{
    unsigned last = 0;
    while (__VERIFIER_nondet_int()) {
        unsigned t = next_ticket();
        if (t < last)
            reach_error();
        last = t;
    }
    return 0;
}
