// gnomon: true
// Lal's dissertation, Figure 5.1 without the third call: calling contexts must not be mixed up.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static unsigned x;

static void foo(void)
{
    int work = __VERIFIER_nondet_int();
    while (work > 0)
        work /= 2;
}

int main(void)
{
    if (__VERIFIER_nondet_int() < 0) {
        x = 5;
        foo();
        x = x + 2;
    } else {
        x = 8;
        foo();
        x = x + 3;
    }
    if (x == 10)
        reach_error();
    return 0;
}
