// gnomon: false
// The label for the end of input is reached with an open bracket.
extern char __VERIFIER_nondet_char(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int depth = 0;
    char c;
next:
    c = __VERIFIER_nondet_char();
    if (c == '(') {
        if (depth < 10)
            depth++;
        goto next;
    }
    if (c == ')') {
        if (depth == 0)
            goto bad;
        depth--;
        goto next;
    }
    if (c != 0)
        goto next;
    if (depth != 0)
        __VERIFIER_error();
    return 0;
bad:
    return 1;
}
