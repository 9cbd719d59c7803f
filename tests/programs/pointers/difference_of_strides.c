// gnomon: false
// The distance of two pointers is taken in elements where bytes are meant.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

int main(void)
{
    int a[10] = {0};
    int i = __VERIFIER_nondet_int();
    if (i < 0 || i > 9)
        return 0;
    long elements = &a[i] - a;
    long bytes = (char *)&a[i] - (char *)a;
    if (bytes > 20 && elements < 9)
        __VERIFIER_error();
    return 0;
}
