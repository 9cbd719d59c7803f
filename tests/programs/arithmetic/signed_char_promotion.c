// gnomon: true
// Arithmetic on characters happens in int, so the sum of two does not wrap.
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

int main(void)
{
    char a = __VERIFIER_nondet_char();
    char b = __VERIFIER_nondet_char();
    int s = a + b;
    if (s < -256 || s > 254)
        reach_error();
    if (a > 0 && b > 0 && s <= 0)
        reach_error();
    return 0;
}
