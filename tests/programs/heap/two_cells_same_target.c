// gnomon: false
// Source and target of the transfer are chosen apart and may be the same cell.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

static void transfer(int *from, int *to, int amount)
{
    int left = *from - amount;
    int grown = *to + amount;
    *from = left;
    *to = grown;
}

int main(void)
{
    int *a = malloc(sizeof *a);
    int *b = malloc(sizeof *b);
    if (!a || !b)
        return 0;
    *a = 100;
    *b = 50;
    int amount = __VERIFIER_nondet_int();
    __VERIFIER_assume(amount >= 0 && amount <= 50);
    transfer(__VERIFIER_nondet_int() ? a : b, __VERIFIER_nondet_int() ? a : b, amount);
    if (*a + *b != 150)
        reach_error();
    return 0;
}
