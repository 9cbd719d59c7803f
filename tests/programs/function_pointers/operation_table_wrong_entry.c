// gnomon: false
// The table lists subtraction without its guard.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int max(int a, int b) { return a > b ? a : b; }

static int (*const operations[])(int, int) = {add, sub, max};

int main(void)
{
    unsigned op = __VERIFIER_nondet_uint();
    if (op >= 3)
        return 0;
    int a = __VERIFIER_nondet_uint() % 1000;
    int b = __VERIFIER_nondet_uint() % 1000;
    if (operations[op](a, b) < 0)
        reach_error();
    return 0;
}
