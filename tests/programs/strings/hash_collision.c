// gnomon: false
// Two different short words have the same hash.
// inputs: 66 65 65 96
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

static unsigned hash(const char *s)
{
    unsigned h = 0;
    while (*s)
        h = h * 31 + (unsigned char)*s++;
    return h;
}

int main(void)
{
    char a[3], b[3];
    a[0] = __VERIFIER_nondet_char();
    a[1] = __VERIFIER_nondet_char();
    a[2] = 0;
    b[0] = __VERIFIER_nondet_char();
    b[1] = __VERIFIER_nondet_char();
    b[2] = 0;
    for (int i = 0; i < 2; i++)
        if (a[i] < 'A' || a[i] > 'z' || b[i] < 'A' || b[i] > 'z')
            return 0;
    if (a[0] != b[0] && hash(a) == hash(b))
        reach_error();
    return 0;
}
