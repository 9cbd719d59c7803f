// The stated property holds, but one run divides by zero first.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void) {
    int n = __VERIFIER_nondet_int();
    int share = 100 / n;
    if (share > 100)
        reach_error();
    return 0;
}
