// gnomon: false
// The copy leaves no room for the terminator when the source fits exactly.
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

int main(void)
{
    char source[5], target[4];
    int n = 0;
    while (n < 4) {
        char c = __VERIFIER_nondet_char();
        source[n] = c;
        if (c == 0)
            break;
        n++;
    }
    source[n] = 0;
    int i = 0;
    while (i < 4 && source[i]) {
        target[i] = source[i];
        i++;
    }
    if (i < 4)
        target[i] = 0;
    /* The reader needs a terminator inside the target. */
    int terminated = 0;
    for (int k = 0; k < 4 && k <= i; k++)
        if (target[k] == 0)
            terminated = 1;
    if (!terminated)
        reach_error();
    return 0;
}
