// gnomon: false
// The sequence that starts from twenty-seven climbs above nine thousand.
// inputs: 27
// slow: not decided by 20 million units of work
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 27)
        return 0;
    while (n != 1) {
        if (n % 2 == 0)
            n = n / 2;
        else
            n = 3 * n + 1;
        if (n > 9000)
            reach_error();
    }
    return 0;
}
