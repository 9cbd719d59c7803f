// gnomon: true
// Path Slicing, Ex2 with the shaded lines: x is set whenever a >= 0, and the loop is irrelevant.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int total;

static void f(int i)
{
    if (__VERIFIER_nondet_int() > i)
        total = i;
}

int main(void)
{
    int a = __VERIFIER_nondet_int();
    int x = 0;
    if (a >= 0)
        x = 1;
    for (int i = 1; i <= 1000; i++)
        f(i);
    if (a >= 0) {
        if (x == 0)
            reach_error();
    }
    return total > 1000;
}
