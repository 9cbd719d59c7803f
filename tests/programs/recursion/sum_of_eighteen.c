// gnomon: false
// inputs: 18
// One input of all leads to the error, and the program names it only through its result.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
static int sum(int n)
{
    if (n <= 0)
        return 0;
    return n + sum(n - 1);
}
int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (sum(n) == 171)
        __VERIFIER_error();
    return 0;
}
