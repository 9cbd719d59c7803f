// gnomon: false
// `__VERIFIER_assert` that is only declared is an assertion.
extern void __VERIFIER_assert(int condition);
extern int __VERIFIER_nondet_int(void);
// inputs: 5

int main(void)
{
    int x = __VERIFIER_nondet_int();
    __VERIFIER_assert(x != 5);
    return 0;
}
