// gnomon: true
extern int __VERIFIER_nondet_int(void);
static int count;
static void tick_handler(void) { count++; }
int main(void)
{
    tick_handler();
    tick_handler();
    return 0;
}
