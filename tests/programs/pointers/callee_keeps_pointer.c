// gnomon: false
// A callee remembers the address of a variable and changes it at a later call.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

static int *remembered;

static void watch(int *p)
{
    if (remembered)
        *remembered = 0;
    remembered = p;
}

int main(void)
{
    static int a = 1, b = 2;
    watch(&a);
    if (__VERIFIER_nondet_int() > 1000)
        watch(&b);
    if (a != 1)
        __VERIFIER_error();
    return 0;
}
