// gnomon: true
// Money moves between two cells on the heap; the total is kept.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void)
{
    int *a = malloc(sizeof *a);
    int *b = malloc(sizeof *b);
    if (!a || !b)
        return 0;
    *a = 100;
    *b = 50;
    while (__VERIFIER_nondet_int()) {
        int amount = __VERIFIER_nondet_int();
        __VERIFIER_assume(amount >= 0 && amount <= 10);
        int *from = __VERIFIER_nondet_int() ? a : b;
        int *to = from == a ? b : a;
        if (*from >= amount) {
            *from -= amount;
            *to += amount;
        }
    }
    if (*a + *b != 150)
        reach_error();
    return 0;
}
