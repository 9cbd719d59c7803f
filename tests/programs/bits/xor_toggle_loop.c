// gnomon: true
// A bit toggled in every round of a loop, together with a parity counter.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned led = 0, rounds = 0;
    while (__VERIFIER_nondet_int()) {
        led ^= 1;
        rounds++;
    }
    if (led != (rounds & 1))
        reach_error();
    return 0;
}
