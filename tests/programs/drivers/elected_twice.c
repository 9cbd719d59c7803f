// gnomon: false
// The greatest of three different numbers wins, but who compares with the wrong one may win too.
extern signed char __VERIFIER_nondet_char(void);
extern void __VERIFIER_assume(int);
extern void reach_error(void);

int main(void) {
    signed char a = __VERIFIER_nondet_char(), b = __VERIFIER_nondet_char(), c = __VERIFIER_nondet_char();
    __VERIFIER_assume(a != b);
    __VERIFIER_assume(a != c);
    __VERIFIER_assume(b != c);
    int winners = 0;
    if (a > b && a > c) winners++;
    if (b > a && b > c) winners++;
    if (c > a) winners++;
    if (winners != 1) reach_error();
    return 0;
}
