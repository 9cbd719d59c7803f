// gnomon: false
// A pointer is used though it may be null.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    int x = 0, *p = 0;
    if (__VERIFIER_nondet_int() < 100)
        p = &x;
    *p = 1;
    return x;
}
