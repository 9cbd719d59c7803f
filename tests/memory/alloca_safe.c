// gnomon: true
// Objects on the stack are used while their function is open.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

static int sum(int *a, int *b)
{
    return *a + *b;
}

static int work(void)
{
    int *first = __builtin_alloca(sizeof(int));
    int *second = __builtin_alloca(sizeof(int));
    *first = __VERIFIER_nondet_uchar();
    *second = 1;
    return sum(first, second);
}

int main(void)
{
    return work() > 300;
}
