// gnomon: false
// The error needs the counter to reach fifty.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int ticks = 0;
    while (__VERIFIER_nondet_int() != 0) {
        ticks++;
        if (ticks == 50)
            reach_error();
    }
    return 0;
}
