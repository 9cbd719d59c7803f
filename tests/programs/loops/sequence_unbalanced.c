// gnomon: false
// The second loop starts one below and leaves one unit over.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int depth = 0, i;
    if (n < 3)
        return 0;
    for (i = 0; i < n; i++)
        depth++;
    for (i = n - 1; i > 0; i--)
        depth--;
    if (depth != 0)
        reach_error();
    return 0;
}
