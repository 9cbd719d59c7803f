// gnomon: unknown
// An argument of the inner call is read before or after the other operand writes it.
extern void reach_error(void);

static int n;
static int set(void) { return n = 1; }
static int same(int x) { return x; }
int main(void)
{
    int r = same(n) + set();
    if (r == 2)
        reach_error();
    return 0;
}
