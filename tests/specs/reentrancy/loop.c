// gnomon: true
extern int __VERIFIER_nondet_int(void);
static int count;
static void tick_handler(void) { count++; }
int main(void)
{
    for (int n = __VERIFIER_nondet_int(); n > 0; n--)
        tick_handler();
    return 0;
}
