// gnomon: true
// Pointers to different locals never alias, in a loop without constant bound.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int hits = 0, misses = 0;
    int rounds = 0;
    while (__VERIFIER_nondet_int()) {
        if (rounds >= 1000000)
            break;
        int *target = __VERIFIER_nondet_int() ? &hits : &misses;
        *target += 1;
        rounds++;
    }
    if (hits + misses != rounds)
        reach_error();
    return 0;
}
