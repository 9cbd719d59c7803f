// gnomon: false
// In the busy mode the watchdog is not fed for forty steps.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int since_feed = 0, busy = 0;
    while (__VERIFIER_nondet_int()) {
        if (!busy) {
            since_feed = 0;
            if (__VERIFIER_nondet_int() == 2)
                busy = 1;
        } else {
            since_feed++;
            if (since_feed == 40)
                __VERIFIER_error();
            if (__VERIFIER_nondet_int() == 3)
                busy = 0;
        }
    }
    return 0;
}
