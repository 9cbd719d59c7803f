// gnomon: true
// Counting bits by clearing the lowest one: never more than the width.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint() & 0xff;
    int count = 0;
    while (x) {
        x &= x - 1;
        count++;
    }
    if (count > 8)
        reach_error();
    return 0;
}
