// gnomon: false
// The comparison stops at the end of the first string and takes a prefix for equal.
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

static int same(const char *a, const char *b)
{
    while (*a) {
        if (*a != *b)
            return 0;
        a++;
        b++;
    }
    return 1;
}

int main(void)
{
    char command[5];
    for (int i = 0; i < 4; i++)
        command[i] = __VERIFIER_nondet_char();
    command[4] = 0;
    if (same(command, "stop") && command[0] != 's')
        reach_error();
    return 0;
}
