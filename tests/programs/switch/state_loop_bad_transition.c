// gnomon: false
// The scanner returns to the number state from a comment without counting the digit.
// A comment starts with the sign # and ends at the first digit.
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

int main(void)
{
    int state = 0, digits = 0;
    for (int i = 0; i < 12; i++) {
        char c = __VERIFIER_nondet_char();
        switch (state) {
        case 0:
            if (c >= '0' && c <= '9') {
                state = 1;
                digits = 1;
            } else if (c == '#') {
                state = 2;
                digits = 0;
            }
            break;
        case 1:
            if (c < '0' || c > '9')
                state = 0;
            break;
        case 2:
            if (c >= '0' && c <= '9')
                state = 1;
            break;
        }
        if (state == 1 && digits == 0)
            reach_error();
    }
    return 0;
}
