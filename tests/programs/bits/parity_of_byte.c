// gnomon: false
// The folded parity of a byte is compared with a loop that forgets the top bit.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_error(void);

int main(void)
{
    unsigned char b = __VERIFIER_nondet_uchar();
    unsigned folded = b;
    folded ^= folded >> 4;
    folded ^= folded >> 2;
    folded ^= folded >> 1;
    folded &= 1;
    unsigned counted = 0;
    for (int i = 0; i < 7; i++)
        counted ^= b >> i & 1;
    if (folded != counted)
        __VERIFIER_error();
    return 0;
}
