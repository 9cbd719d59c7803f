// gnomon: false
// An inner declaration shadows the result, which is then never set.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int maximum(int a, int b)
{
    int result = a;
    if (b > a) {
        int result = b;
        (void)result;
    }
    return result;
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    int m = maximum(a, b);
    if (m < b)
        reach_error();
    return 0;
}
