// gnomon: false
// The check of a password accepts exactly one word.
// inputs: 111 112 101 110
// slow: not decided by 20 million units of work
extern char __VERIFIER_nondet_char(void);
extern void __VERIFIER_error(void);

int main(void)
{
    const char secret[] = "open";
    int i = 0;
    while (secret[i]) {
        if (__VERIFIER_nondet_char() != secret[i])
            return 1;
        i++;
    }
    if (i == 4)
        __VERIFIER_error();
    return 0;
}
