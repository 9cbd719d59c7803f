// gnomon: false
// The vending machine gives a drink on credit after a refund in the wrong state.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum state { IDLE, PAID, DELIVERED };

int main(void)
{
    enum state s = IDLE;
    int coins = 0;
    while (__VERIFIER_nondet_int()) {
        int key = __VERIFIER_nondet_int();
        if (s == IDLE && key == 1) {
            coins++;
            s = PAID;
        } else if (s == PAID && key == 2) {
            coins--;
        } else if (s == PAID && key == 3) {
            if (coins <= 0)
                reach_error();
            s = DELIVERED;
        } else if (s == DELIVERED) {
            coins = 0;
            s = IDLE;
        }
    }
    return 0;
}
