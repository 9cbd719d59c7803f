// gnomon: true
// The recursive sum of the numbers up to n is at least n.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int sum(int n)
{
    if (n <= 0)
        return 0;
    return sum(n - 1) + n;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 1000)
        return 0;
    int s = sum(n);
    if (s < n || s < 0)
        reach_error();
    return 0;
}
