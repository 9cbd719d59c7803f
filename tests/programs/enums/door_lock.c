// gnomon: false
// The door can be opened in the alarm state because the states are compared by order.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

enum door { LOCKED, UNLOCKED, OPEN, ALARM };

int main(void)
{
    enum door d = LOCKED;
    int wrong = 0;
    while (__VERIFIER_nondet_int()) {
        int key = __VERIFIER_nondet_int();
        if (d == LOCKED) {
            if (key == 1234)
                d = UNLOCKED;
            else if (++wrong == 3)
                d = ALARM;
        } else if (d >= UNLOCKED && key == 0) {
            if (d == ALARM)
                __VERIFIER_error();
            d = OPEN;
        }
    }
    return 0;
}
