// gnomon: true
// The usual test for powers of two accepts only numbers with one bit.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uint();
    if (x != 0 && (x & (x - 1)) == 0) {
        if ((x & 0xffff) && (x >> 16))
            reach_error();
        if (x == 6 || x == 12 || x == 0x81)
            reach_error();
    }
    return 0;
}
