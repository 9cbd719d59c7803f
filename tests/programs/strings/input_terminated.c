// gnomon: true
// An input buffer is terminated before it is measured, so its length is below its size.
extern char __VERIFIER_nondet_char(void);
extern void reach_error(void);

int main(void)
{
    char line[8];
    for (int i = 0; i < 8; i++)
        line[i] = __VERIFIER_nondet_char();
    line[7] = '\0';
    int n = 0;
    while (line[n])
        n++;
    if (n > 7)
        reach_error();
    return 0;
}
