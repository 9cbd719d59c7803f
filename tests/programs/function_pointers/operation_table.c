// gnomon: true
// A table of operations dispatched by index: the result is never negative for non-negative operands.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a > b ? a - b : 0; }
static int max(int a, int b) { return a > b ? a : b; }

static int (*const operations[])(int, int) = {add, sub, max};

int main(void)
{
    unsigned op = __VERIFIER_nondet_uint() % 3;
    int a = __VERIFIER_nondet_uint() % 1000;
    int b = __VERIFIER_nondet_uint() % 1000;
    int r = operations[op](a, b);
    if (r < 0 || r > 1998)
        reach_error();
    return 0;
}
