// gnomon: true
// Halves are exact, so adding two of them gives the number back.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < -1000000 || n > 1000000)
        return 0;
    double half = n / 2.0;
    if (half + half != n)
        reach_error();
    return 0;
}
