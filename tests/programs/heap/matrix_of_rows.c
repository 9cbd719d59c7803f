// gnomon: false
// Two rows of a matrix on the heap are the same object, so one write changes both.
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void __VERIFIER_error(void);

int main(void)
{
    int *rows[3];
    for (int i = 0; i < 3; i++) {
        rows[i] = malloc(2 * sizeof(int));
        if (!rows[i])
            return 0;
        rows[i][0] = rows[i][1] = 0;
    }
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (a < 0 || a > 2 || b < 0 || b > 2 || a == b)
        return 0;
    rows[a] = rows[b];
    rows[a][1] = 8;
    if (rows[0][1] + rows[1][1] + rows[2][1] != 8)
        __VERIFIER_error();
    return 0;
}
