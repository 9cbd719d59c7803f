// gnomon: false
// The difference of unsigned numbers is never negative, so the guard does not help.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned size = __VERIFIER_nondet_uint();
    unsigned used = __VERIFIER_nondet_uint();
    if (size - used > 0) {
        if (used > size)
            reach_error();
    }
    return 0;
}
