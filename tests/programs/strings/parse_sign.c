// gnomon: false
// A lone minus sign is parsed as a number.
// inputs: 45 0 0
extern char __VERIFIER_nondet_char(void);
extern void __VERIFIER_error(void);

int main(void)
{
    char text[4];
    for (int i = 0; i < 3; i++)
        text[i] = __VERIFIER_nondet_char();
    text[3] = 0;
    int at = 0, digits = 0, value = 0, valid;
    if (text[at] == '-')
        at++;
    while (text[at] >= '0' && text[at] <= '9') {
        value = 10 * value + text[at] - '0';
        digits++;
        at++;
    }
    valid = at > 0 && text[at] == 0;
    if (valid && digits == 0)
        __VERIFIER_error();
    return value > 999;
}
