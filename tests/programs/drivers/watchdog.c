// gnomon: true
// The watchdog is fed before it bites, because the loop feeds it at every third step at the latest.
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int since_feed = 0;
    while (__VERIFIER_nondet_bool()) {
        since_feed++;
        if (since_feed >= 3 || __VERIFIER_nondet_bool())
            since_feed = 0;
        if (since_feed > 3)
            __VERIFIER_error();
    }
    return 0;
}
