// gnomon: true
// A bounded copy never writes behind the destination and always terminates it.
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

static void copy(char *to, int size, const char *from)
{
    int i = 0;
    while (i < size - 1 && from[i] != '\0') {
        to[i] = from[i];
        i++;
    }
    to[i] = '\0';
}

int main(void)
{
    char target[5] = "....";
    char guard = 'G';
    const char *source = __VERIFIER_nondet_int() ? "a" : "abcdefgh";
    copy(target, 5, source);
    if (guard != 'G')
        reach_error();
    int n = 0;
    while (target[n])
        n++;
    if (n > 4)
        reach_error();
    if (target[0] != 'a')
        reach_error();
    return 0;
}
