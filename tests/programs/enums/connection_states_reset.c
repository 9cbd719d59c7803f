// gnomon: false
// A reset in the closing state forgets to take back the handshake.
// inputs: 1 1 1 2 1 3 1 4
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum state { CLOSED, SYN_SENT, ESTABLISHED, FIN_WAIT };
enum event { OPEN = 1, ACK, CLOSE, RESET };

int main(void)
{
    enum state state = CLOSED;
    int handshakes = 0;
    while (__VERIFIER_nondet_int()) {
        int event = __VERIFIER_nondet_int();
        if (state == CLOSED && event == OPEN)
            state = SYN_SENT;
        else if (state == SYN_SENT && event == ACK) {
            state = ESTABLISHED;
            handshakes = 1;
        } else if (state == ESTABLISHED && event == CLOSE)
            state = FIN_WAIT;
        else if (event == RESET) {
            if (state != FIN_WAIT)
                handshakes = 0;
            state = CLOSED;
        }
        if (state == CLOSED && handshakes)
            reach_error();
    }
    return 0;
}
