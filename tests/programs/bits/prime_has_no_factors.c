// gnomon: true
// A prime is no product of two smaller numbers.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = __VERIFIER_nondet_uchar(), y = __VERIFIER_nondet_uchar();
    if (x > 1 && y > 1 && x * y == 8191)
        reach_error();
    return 0;
}
