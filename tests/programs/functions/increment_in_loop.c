// gnomon: true
// A function that increments, called in a loop without constant bound.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int successor(int x)
{
    return x + 1;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    int x = 0, i = 0;
    while (i < n) {
        x = successor(x);
        i = successor(i);
    }
    if (x != i)
        reach_error();
    return 0;
}
