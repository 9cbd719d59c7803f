// gnomon: unknown
// Two calls in the indices of one place come in no order.
extern void reach_error(void);

static int n;
static int m[3][3];
static int next(void) { return n++; }
int main(void)
{
    m[next()][next()] = 5;
    if (m[1][0] == 5)
        reach_error();
    return 0;
}
