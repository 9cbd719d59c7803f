// gnomon: true
// Parsing at most three decimal digits gives a number below one thousand.
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

int main(void)
{
    int value = 0, digits = 0;
    while (digits < 3) {
        char c = __VERIFIER_nondet_char();
        if (c < '0' || c > '9')
            break;
        value = 10 * value + (c - '0');
        digits++;
    }
    if (value < 0 || value > 999)
        reach_error();
    if (digits == 0 && value != 0)
        reach_error();
    return 0;
}
