// gnomon: false
// One branch increments both counters through pointers that happen to be exchanged.
// inputs: 1 6 1 5 0
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int hits = 0, misses = 0, rounds = 0;
    int *h = &hits, *m = &misses;
    while (rounds < 20 && __VERIFIER_nondet_int()) {
        int choice = __VERIFIER_nondet_int();
        if (choice == 5) {
            int *t = h;
            h = m;
            m = t;
        } else if (choice > 5) {
            (*h)++;
            rounds++;
        } else {
            (*m)++;
            rounds++;
        }
    }
    if (hits > 0 && m == &hits && misses == 0)
        reach_error();
    return 0;
}
