// gnomon: true
// Two counters advanced by turns never differ by more than one.
// slow: not decided by 20 million units of work
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_error(void);

int main(void)
{
    unsigned ping = 0, pong = 0;
    while (__VERIFIER_nondet_bool()) {
        if (ping == pong)
            ping++;
        else
            pong++;
        if (ping - pong > 1)
            __VERIFIER_error();
    }
    return 0;
}
