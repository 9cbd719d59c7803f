// gnomon: false 5 the function is entered while one that must not be interrupted runs
extern int __VERIFIER_nondet_int(void);
static int count;
static void (*notify)(void);
static void tick_handler(void)
{
    count++;
    if (count < 3)
        notify();
}
int main(void)
{
    notify = tick_handler;
    tick_handler();
    return 0;
}
