// gnomon: false
// The pointer has no value on one way to its use.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    int x = 0, *p;
    if (__VERIFIER_nondet_int() != 12)
        p = &x;
    *p = 1;
    return x;
}
