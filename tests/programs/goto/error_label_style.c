// gnomon: true
// An error label in the style of older verification tasks, not reached as the guard is exact.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int x = 0;
    if (n < 0)
        goto END;
LOOP:
    if (x >= n)
        goto CHECK;
    x = x + 1;
    goto LOOP;
CHECK:
    if (x != n)
        goto ERROR;
    goto END;
ERROR:
    reach_error();
END:
    return 0;
}
