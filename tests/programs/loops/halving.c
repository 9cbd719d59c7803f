// gnomon: true
// Halving a positive number ends at zero after at most thirty-one rounds.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n <= 0)
        return 0;
    int rounds = 0;
    while (n > 0) {
        n /= 2;
        rounds++;
    }
    if (n != 0 || rounds < 1)
        reach_error();
    return 0;
}
