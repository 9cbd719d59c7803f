// gnomon: true
// The pointer has a value on every way to its use.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    int x = 0, y = 0, *p;
    if (__VERIFIER_nondet_int())
        p = &x;
    else
        p = &y;
    *p = 1;
    return x + y - 1;
}
