// gnomon: false
// A macro evaluates its argument twice, and the counter moves by two.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

#define MAX(a, b) ((a) > (b) ? (a) : (b))

static int counter;

static int next(void)
{
    return ++counter;
}

int main(void)
{
    int floor = __VERIFIER_nondet_int();
    int m = MAX(next(), floor);
    if (m != floor && counter != 1)
        reach_error();
    return 0;
}
