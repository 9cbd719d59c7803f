// gnomon: true
// Writing the bytes of a union builds the word in little-endian order.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

union word {
    unsigned int whole;
    unsigned char byte[4];
};

int main(void)
{
    union word w;
    w.whole = 0;
    unsigned char b = __VERIFIER_nondet_uchar();
    w.byte[1] = b;
    if (w.whole != 256u * b)
        reach_error();
    w.byte[1] = 0;
    w.byte[0] = b;
    if (w.whole != b)
        reach_error();
    return 0;
}
