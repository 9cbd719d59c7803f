// gnomon: true
// Reads and writes through three levels of pointers reach the right variable.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
static void check(int condition)
{
    if (!condition)
        reach_error();
}

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = 0;
    int *px = &x, *py = &y;
    int **pp = &px;
    int ***ppp = &pp;
    ***ppp = 5;
    check(x == 5);
    *ppp = &py;
    ***ppp = 7;
    check(x == 5 && y == 7);
    **ppp = &x;
    check(py == &x);
    **pp = 9;
    check(x == 9 && y == 7);
    return 0;
}
