// gnomon: true
// Changing a parameter inside a function does not change the caller's variable.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int countdown(int n)
{
    int rounds = 0;
    while (n > 0) {
        n--;
        rounds++;
    }
    return rounds;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int before = n;
    int r = countdown(n);
    if (n != before)
        reach_error();
    if (n >= 0 && r != n)
        reach_error();
    if (n < 0 && r != 0)
        reach_error();
    return 0;
}
