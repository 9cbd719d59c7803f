// gnomon: false
// An object on the stack is used when its function has returned.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

static int *kept;

static void work(void)
{
    int *first = __builtin_alloca(sizeof(int));
    *first = 1;
    kept = first;
}

int main(void)
{
    work();
    *kept = 2;
    return 0;
}
