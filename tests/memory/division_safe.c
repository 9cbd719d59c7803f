// gnomon: true
// The divisor is not zero.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < 1 || x > 1000)
        return 0;
    return 1000 / x;
}
