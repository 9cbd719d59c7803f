// gnomon: true
// The two indices of a partition meet and never cross by more than one.
extern _Bool __VERIFIER_nondet_bool(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_error(void);

int main(void)
{
    unsigned n = __VERIFIER_nondet_uint();
    if (n == 0 || n > 1000000)
        return 0;
    unsigned left = 0, right = n;
    while (left < right) {
        if (__VERIFIER_nondet_bool())
            left++;
        else
            right--;
    }
    if (left != right || left > n)
        __VERIFIER_error();
    return 0;
}
