// gnomon: true
// A scanner in the form of a switch in a loop: a number always starts with a digit.
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

int main(void)
{
    int state = 0, digits = 0;
    char c;
    while ((c = __VERIFIER_nondet_char()) != 0) {
        switch (state) {
        case 0:
            if (c >= '0' && c <= '9') {
                state = 1;
                digits = 1;
            }
            break;
        case 1:
            if (c >= '0' && c <= '9') {
                if (digits < 20)
                    digits++;
            } else {
                state = 0;
                digits = 0;
            }
            break;
        default:
            reach_error();
        }
        if (state == 1 && digits < 1)
            reach_error();
    }
    return 0;
}
