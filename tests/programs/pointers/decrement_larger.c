// gnomon: false
// Repeatedly decrementing the larger of two numbers stops with one of them at zero, not always both.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int *larger(int *a, int *b)
{
    return *a > *b ? a : b;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    if (x < 0 || x > 12 || y < 0 || y > 12)
        return 0;
    while (x > 0 && y > 0)
        *larger(&x, &y) -= 1;
    if (x + y != 0)
        reach_error();
    return 0;
}
