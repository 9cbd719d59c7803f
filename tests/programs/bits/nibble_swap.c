// gnomon: false
// Swapping the halves of a byte without a cast keeps bits above it.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void)
{
    unsigned char b = __VERIFIER_nondet_uchar();
    int swapped = b << 4 | b >> 4;
    if (swapped > 255)
        reach_error();
    return 0;
}
