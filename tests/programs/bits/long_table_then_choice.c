// gnomon: true
// A table of 256 remainders is made by a loop over constants; one entry that can be any is then compared.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void)
{
    unsigned char table[256];
    for (int i = 0; i < 256; i++) {
        unsigned char value = (unsigned char)i;
        for (int bit = 0; bit < 8; bit++)
            value = (value & 1) ? (unsigned char)((value >> 1) ^ 0x8c) : (unsigned char)(value >> 1);
        table[i] = value;
    }
    unsigned char at = __VERIFIER_nondet_uchar();
    if (at == 1 && table[at] != 0x5e)
        reach_error();
    if ((table[at] == 0) != (at == 0))
        reach_error();
    return 0;
}
