// gnomon: false
// A signed character above 127 is negative and misses its case.
// inputs: 228
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_error(void);

int main(void)
{
    unsigned char input = __VERIFIER_nondet_uchar();
    char c = (char)input;
    int known = 0;
    switch ((int)c) {
    case 'a':
    case 0xe4:
        known = 1;
        break;
    }
    if (input == 0xe4 && !known)
        __VERIFIER_error();
    return 0;
}
