// gnomon: true
// Counting up to an input ends with the counter equal to it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0)
        return 0;
    int i = 0;
    while (i < n)
        i++;
    if (i != n)
        reach_error();
    return 0;
}
