// gnomon: false
// A swap without a temporary variable loses one of the values.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static void swap(int *a, int *b)
{
    *a = *b;
    *b = *a;
}

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    int old_x = x;
    swap(&x, &y);
    if (y != old_x)
        reach_error();
    return 0;
}
