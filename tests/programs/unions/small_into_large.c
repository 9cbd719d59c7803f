// gnomon: false
// Storing the small member leaves the other bytes of the large one as they were.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_error(void);

union cell {
    unsigned int wide;
    unsigned char narrow;
};

int main(void)
{
    union cell c;
    c.wide = (unsigned)__VERIFIER_nondet_int();
    c.narrow = __VERIFIER_nondet_uchar();
    if (c.wide != c.narrow)
        __VERIFIER_error();
    return 0;
}
