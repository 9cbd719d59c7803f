// gnomon: true
// Comparison of two small buffers says equal exactly when all characters agree.
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

static int compare(const char *a, const char *b)
{
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a - *b;
}

int main(void)
{
    char x[3], y[3];
    x[0] = __VERIFIER_nondet_char();
    x[1] = __VERIFIER_nondet_char();
    x[2] = 0;
    y[0] = __VERIFIER_nondet_char();
    y[1] = __VERIFIER_nondet_char();
    y[2] = 0;
    int equal = compare(x, y) == 0;
    if (equal && x[0] != y[0])
        reach_error();
    if (!equal && x[0] == y[0] && x[1] == y[1])
        reach_error();
    return 0;
}
