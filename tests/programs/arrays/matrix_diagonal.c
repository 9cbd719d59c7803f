// gnomon: true
// A matrix filled row by row has ones on its diagonal only.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int m[3][3];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m[i][j] = i == j;
    int r = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    if (r < 0 || r > 2 || c < 0 || c > 2)
        return 0;
    if (m[r][c] && r != c)
        reach_error();
    if (m[r][c] != m[c][r])
        reach_error();
    return 0;
}
