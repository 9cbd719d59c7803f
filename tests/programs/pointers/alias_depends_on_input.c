// gnomon: false
// Two pointers alias only for one choice of the input, and the increment is then seen twice.
// inputs: 42
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a = 0, b = 0;
    int *p = &a, *q = &b;
    if (__VERIFIER_nondet_int() == 42)
        q = &a;
    *p += 1;
    *q += 1;
    if (a == 2)
        reach_error();
    return 0;
}
