// gnomon: false
// The prefix sums are taken over one element too few.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int a[4], prefix[5];
    prefix[0] = 0;
    for (int i = 0; i < 4; i++) {
        a[i] = __VERIFIER_nondet_int() & 0xff;
        prefix[i + 1] = prefix[i] + a[i];
    }
    int from = __VERIFIER_nondet_int(), to = __VERIFIER_nondet_int();
    if (from < 0 || to > 3 || from > to)
        return 0;
    int sum = 0;
    for (int i = from; i <= to; i++)
        sum += a[i];
    if (prefix[to] - prefix[from] != sum)
        __VERIFIER_error();
    return 0;
}
