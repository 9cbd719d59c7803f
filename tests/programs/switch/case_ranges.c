// gnomon: true
// Case ranges of gcc classify characters.
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

int main(void)
{
    char c = __VERIFIER_nondet_char();
    int kind;
    switch (c) {
    case '0' ... '9':
        kind = 1;
        break;
    case 'a' ... 'z':
    case 'A' ... 'Z':
        kind = 2;
        break;
    default:
        kind = 0;
    }
    if (kind == 1 && (c < '0' || c > '9'))
        reach_error();
    if (c == 'm' && kind != 2)
        reach_error();
    if (c == '_' && kind != 0)
        reach_error();
    return 0;
}
