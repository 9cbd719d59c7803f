// gnomon: true
// A function from outside is called: it does not know the local variable.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct operations { int (*open)(int); };
int f(struct operations *ops)
{
    int own = 1;
    if (!ops || !ops->open)
        return 0;
    int result = ops->open(3);
    if (own != 1)
        reach_error();
    return result;
}

extern struct operations *from_outside(void);

int main(void)
{
    f(from_outside());
    return 0;
}
