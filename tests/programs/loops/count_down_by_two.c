// gnomon: false
// Counting down by two passes zero when the input is odd.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    while (n > 0)
        n -= 2;
    if (n != 0)
        reach_error();
    return 0;
}
