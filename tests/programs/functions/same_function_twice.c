// gnomon: true
// The same function called with different arguments keeps its contexts apart.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int twice(int x)
{
    return x + x;
}

int main(void)
{
    int a = __VERIFIER_nondet_int();
    if (a < 0 || a > 1000)
        return 0;
    int p = twice(a);
    int q = twice(a + 1);
    if (q - p != 2)
        reach_error();
    return 0;
}
