// gnomon: true
// The sum of n inputs between zero and nine is at most nine times n.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000)
        return 0;
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int digit = __VERIFIER_nondet_int();
        if (digit < 0 || digit > 9)
            digit = 0;
        sum += digit;
    }
    if (sum < 0 || sum > 9 * n)
        reach_error();
    return 0;
}
