// gnomon: false
// With a wrong constant the function no longer gives 91 everywhere.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int f91(int x)
{
    if (x > 100)
        return x - 10;
    return f91(f91(x + 12));
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    if (x < 90 || x > 101)
        return 0;
    if (f91(x) != 91)
        reach_error();
    return 0;
}
