// gnomon: true
// The length of a literal counted by hand, and the terminator behind it.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static int length(const char *s)
{
    int n = 0;
    while (s[n] != '\0')
        n++;
    return n;
}

int main(void)
{
    const char *word = __VERIFIER_nondet_int() ? "lock" : "unlock";
    int n = length(word);
    if (n != 4 && n != 6)
        reach_error();
    if (word[n] != 0)
        reach_error();
    return 0;
}
