// gnomon: false
// The low half of a word is mistaken for the high half.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

union word {
    unsigned int whole;
    unsigned short half[2];
};

int main(void)
{
    union word w;
    w.whole = __VERIFIER_nondet_uint();
    if (w.half[0] != w.whole >> 16)
        reach_error();
    return 0;
}
