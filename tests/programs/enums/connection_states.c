// gnomon: true
// A connection sends data only when it is established.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum state { CLOSED, SYN_SENT, ESTABLISHED, FIN_WAIT };
enum event { OPEN = 1, ACK, CLOSE, RESET };

static enum state state = CLOSED;
static int handshakes;

static void handle(int event)
{
    if (state == CLOSED && event == OPEN)
        state = SYN_SENT;
    else if (state == SYN_SENT && event == ACK) {
        state = ESTABLISHED;
        handshakes = 1;
    } else if (state == ESTABLISHED && event == CLOSE)
        state = FIN_WAIT;
    else if (state == FIN_WAIT && event == ACK) {
        state = CLOSED;
        handshakes = 0;
    } else if (event == RESET) {
        state = CLOSED;
        handshakes = 0;
    }
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        handle(__VERIFIER_nondet_int());
        if (state == ESTABLISHED && !handshakes)
            reach_error();
        if (state == CLOSED && handshakes)
            reach_error();
    }
    return 0;
}
