// gnomon: false
// A duplicate acknowledgement gives back more credits than there were.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int window = 4;
    int credits = window, in_flight = 0, last_ack = 0, sent = 0;
    while (__VERIFIER_nondet_int() && sent < 20) {
        if (__VERIFIER_nondet_int() > 0) {
            if (credits > 0) {
                credits--;
                in_flight++;
                sent++;
            }
        } else {
            int ack = __VERIFIER_nondet_int();
            if (ack >= last_ack && ack <= sent) {
                credits++;
                if (in_flight > 0)
                    in_flight--;
                last_ack = ack;
            }
        }
        if (credits > window)
            reach_error();
    }
    return 0;
}
