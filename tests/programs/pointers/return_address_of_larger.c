// gnomon: true
// A function returns the address of the larger of two variables, and the caller clears it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int *larger(int *a, int *b)
{
    return *a >= *b ? a : b;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    if (x <= 0 || y <= 0)
        return 0;
    int rounds = 0;
    while (x != 0 && y != 0) {
        int *p = larger(&x, &y);
        *p = 0;
        rounds++;
    }
    if (rounds != 1)
        reach_error();
    if (x < 0 || y < 0)
        reach_error();
    return 0;
}
