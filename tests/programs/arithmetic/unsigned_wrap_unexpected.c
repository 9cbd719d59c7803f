// gnomon: false
// An unsigned sum of two lengths can be smaller than either of them.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned header = __VERIFIER_nondet_uint();
    unsigned body = __VERIFIER_nondet_uint();
    if (header + body <= 64) {
        if (body > 64)
            reach_error();
    }
    return 0;
}
