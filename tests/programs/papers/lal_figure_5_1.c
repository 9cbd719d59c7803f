// gnomon: false
// Lal's dissertation, Figure 5.1: only the call that sets x to nine leads to the error.
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
    int path = __VERIFIER_nondet_int();
    if (path < 0) {
        x = 5;
        foo();
        x = x + 2;
    } else if (path == 0) {
        x = 8;
        foo();
        x = x + 3;
    } else {
        x = 9;
        foo();
        x = x + 1;
    }
    if (x == 10)
        reach_error();
    return 0;
}
