// gnomon: false 4 the function is entered while one that must not be interrupted runs
extern int __VERIFIER_nondet_int(void);
static int count;
static void tick_handler(int n)
{
    if (n > 0)
        tick_handler(n - 1);
}
int main(void)
{
    tick_handler(__VERIFIER_nondet_int() & 3);
    return 0;
}
