// gnomon: true
// Trimming trailing blanks leaves a string that does not end in a blank.
extern char __VERIFIER_nondet_char(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

int main(void)
{
    char text[5];
    int n = 0;
    while (n < 4) {
        text[n] = __VERIFIER_nondet_char();
        if (text[n] == 0)
            break;
        n++;
    }
    text[n] = 0;
    while (n > 0 && text[n - 1] == ' ')
        text[--n] = 0;
    if (n > 0 && text[n - 1] == ' ')
        __assert_fail("no blank", "trim.c", 1, "main");
    if (text[n] != 0)
        __assert_fail("terminated", "trim.c", 2, "main");
    return 0;
}
