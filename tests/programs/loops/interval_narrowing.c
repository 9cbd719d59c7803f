// gnomon: true
// Bisection keeps the interval ordered and makes it shorter.
extern unsigned int __VERIFIER_nondet_uint(void);
extern _Bool __VERIFIER_nondet_bool(void);
extern void __VERIFIER_error(void);

int main(void)
{
    unsigned low = 0, high = __VERIFIER_nondet_uint();
    if (high > 1000000)
        return 0;
    while (high - low > 1) {
        unsigned middle = (low + high) / 2;
        if (middle <= low || middle >= high)
            __VERIFIER_error();
        if (__VERIFIER_nondet_bool())
            low = middle;
        else
            high = middle;
    }
    if (low > high)
        __VERIFIER_error();
    return 0;
}
