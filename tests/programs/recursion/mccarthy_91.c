// gnomon: true
// McCarthy's function gives 91 for all arguments up to 100 and the argument minus ten above.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int f91(int x)
{
    if (x > 100)
        return x - 10;
    return f91(f91(x + 11));
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < -50)
        return 0;
    int r = f91(x);
    if (x > 101 && r != x - 10)
        reach_error();
    if (x <= 101 && r != 91)
        reach_error();
    return 0;
}
