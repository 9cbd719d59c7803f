// gnomon: true
// An alias is the object or function of another name, whatever is declared.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int x = 1;
extern int y __attribute__((alias("x")));
static int twice(int k) { return 2 * k; }
int doubled(int k) __attribute__((alias("twice")));
int thrice(int k) { return 3 * k; }
static int tripled(int k) __attribute__((weakref("thrice")));
extern int renamed(int);
#pragma weak renamed = thrice

int main(void)
{
    y = __VERIFIER_nondet_int() & 255;
    if (doubled(x) != 2 * y || tripled(x) != 3 * y || renamed(y) != tripled(x))
        reach_error();
    return 0;
}
