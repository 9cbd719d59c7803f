// gnomon: false
// Two runners with strides of three and four meet at a multiple of twelve.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int a = 0, b = 0;
    while (__VERIFIER_nondet_int()) {
        if (a <= b)
            a += 3;
        else
            b += 4;
        if (a == b && a >= 24)
            __VERIFIER_error();
        if (a > 1000)
            break;
    }
    return 0;
}
