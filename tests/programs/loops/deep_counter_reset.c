// gnomon: true
// The counter is reset at forty, so it never reaches fifty.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int ticks = 0;
    while (__VERIFIER_nondet_int() != 0) {
        ticks++;
        if (ticks == 40)
            ticks = 0;
        if (ticks >= 50)
            reach_error();
    }
    return 0;
}
