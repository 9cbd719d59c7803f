// gnomon: false
// The parser accepts a character behind the digits and delivers a value that is too large.
// inputs: 58 48
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

int main(void)
{
    int value = 0;
    for (int digits = 0; digits < 2; digits++) {
        char c = __VERIFIER_nondet_char();
        if (c < '0' || c > '9' + 1)
            break;
        value = 10 * value + (c - '0');
    }
    if (value > 99)
        reach_error();
    return 0;
}
