// gnomon: true
extern int __VERIFIER_nondet_int(void);
static int count;
static void a_handler(void) { count++; }
static void b_handler(void) { count--; }
int main(void)
{
    a_handler();
    if (count)
        b_handler();
    return 0;
}
