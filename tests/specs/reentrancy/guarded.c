// gnomon: true
extern int __VERIFIER_nondet_int(void);
static int count;
static int busy;
static void tick_handler(void);
static void work(void)
{
    if (!busy)
        tick_handler();
}
static void tick_handler(void)
{
    busy = 1;
    work();
    busy = 0;
}
int main(void)
{
    work();
    return 0;
}
