// gnomon: false
// Storing the sum of two characters back into one loses the high bits.
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

int main(void)
{
    char a = __VERIFIER_nondet_char();
    char b = __VERIFIER_nondet_char();
    char s = (char)(a + b);
    if (a > 0 && b > 0 && s < 0)
        reach_error();
    return 0;
}
