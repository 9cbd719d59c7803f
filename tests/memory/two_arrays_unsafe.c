// gnomon: false
// The pointer leaves the shorter of two arrays.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    int a[4] = {0}, b[8] = {0};
    int which = __VERIFIER_nondet_int();
    int *p = which ? a : b;
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i >= 8)
        return 0;
    p[i] = 1;
    return 0;
}
