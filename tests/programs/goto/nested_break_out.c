// gnomon: true
// A goto leaves two nested loops at once with the position of the find.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 10000)
        return 0;
    int i, j, found = 0;
    for (i = 0; i < n; i++)
        for (j = 0; j < n; j++)
            if (__VERIFIER_nondet_int() == 77) {
                found = 1;
                goto done;
            }
done:
    if (found && (i >= n || j >= n))
        reach_error();
    if (!found && i != n)
        reach_error();
    return 0;
}
