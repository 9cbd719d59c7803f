// gnomon: true
// Where two pointers from outside differ and are to elements of one array, writes do not meet.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

void f(int *p, int i, int j)
{
    if (!p || i < 0 || j < 0 || i > 9 || j > 9 || i == j)
        return;
    p[i] = 1;
    p[j] = 2;
    if (p[i] != 1)
        reach_error();
}

extern int *from_outside(void);

int main(void)
{
    f(from_outside(), __VERIFIER_nondet_int(), __VERIFIER_nondet_int());
    return 0;
}
