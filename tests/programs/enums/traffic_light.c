// gnomon: true
// A traffic light goes green, yellow, red, green: red never follows green directly.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

enum light { RED, YELLOW, GREEN };

static enum light next(enum light l)
{
    switch (l) {
    case RED:
        return GREEN;
    case GREEN:
        return YELLOW;
    default:
        return RED;
    }
}

int main(void)
{
    enum light now = RED, before = RED;
    while (__VERIFIER_nondet_int()) {
        before = now;
        now = next(now);
        if (before == GREEN && now == RED)
            reach_error();
    }
    return 0;
}
