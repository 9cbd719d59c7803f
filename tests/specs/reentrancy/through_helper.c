// gnomon: false 5 the function is entered while one that must not be interrupted runs
extern int __VERIFIER_nondet_int(void);
static int count;
static void work(void);
static void tick_handler(void)
{
    count++;
    work();
}
static void work(void)
{
    if (count < 2 && __VERIFIER_nondet_int())
        tick_handler();
}
int main(void)
{
    work();
    return 0;
}
