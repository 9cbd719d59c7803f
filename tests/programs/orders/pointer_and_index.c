// gnomon: unknown
// A call that gives the array, and one in the index, come in no order.
extern void reach_error(void);

static int n;
static int m[3] = {1, 2, 3};
static int *base(void)
{
    n = 1;
    return m;
}
static int at(void) { return n; }
int main(void)
{
    if (base()[at()] == 1)
        reach_error();
    return 0;
}
