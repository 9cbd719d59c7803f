// gnomon: false
// Two entries of the table point to the same counter, which the check forgets.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned red = 0, green = 0;
    unsigned *table[3] = {&red, &green, &red};
    unsigned first = __VERIFIER_nondet_uint() % 3;
    unsigned second = __VERIFIER_nondet_uint() % 3;
    *table[first] += 1;
    *table[second] += 1;
    if (first != second && (red == 2 || green == 2))
        reach_error();
    return 0;
}
