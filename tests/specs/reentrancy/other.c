// gnomon: false 4 the function is entered while one that must not be interrupted runs
extern int __VERIFIER_nondet_int(void);
static int count;
static void b_handler(void)
{
    count--;
}
static void a_handler(void)
{
    count++;
    if (__VERIFIER_nondet_int())
        b_handler();
}
int main(void)
{
    a_handler();
    return 0;
}
