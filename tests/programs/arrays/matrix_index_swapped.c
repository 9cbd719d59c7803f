// gnomon: false
// Row and column are exchanged when reading a matrix that is not symmetric.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int m[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = 3 * i + j;
    int r = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    if (r < 0 || r > 2 || c < 0 || c > 2)
        return 0;
    if (m[c][r] != 3 * r + c)
        reach_error();
    return 0;
}
