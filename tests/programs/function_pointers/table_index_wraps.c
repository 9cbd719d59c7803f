// gnomon: false
// The index into the table of handlers wraps around one entry too early.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

static int last;

static void first(void) { last = 1; }
static void second(void) { last = 2; }
static void third(void) { last = 3; }

int main(void)
{
    void (*const steps[])(void) = {first, second, third};
    int at = 0, seen_third = 0, calls = 0;
    while (__VERIFIER_nondet_int() && calls < 12) {
        steps[at]();
        calls++;
        at = at + 1 < 2 ? at + 1 : 0;
        if (last == 3)
            seen_third = 1;
    }
    if (calls == 12 && !seen_third)
        __VERIFIER_error();
    return 0;
}
