// gnomon: false
// After a fault the light jumps from green to red.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum light { RED, YELLOW, GREEN };

int main(void)
{
    enum light now = RED, before = RED;
    while (__VERIFIER_nondet_int()) {
        before = now;
        if (__VERIFIER_nondet_int() == 99)
            now = RED;
        else
            now = now == RED ? GREEN : now == GREEN ? YELLOW : RED;
        if (before == GREEN && now == RED)
            reach_error();
    }
    return 0;
}
