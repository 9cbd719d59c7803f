// gnomon: unknown
// The condition of an operand reads what a call in another one writes.
extern void reach_error(void);

static int n;
static int set(void) { return n = 1; }
int main(void)
{
    int r = set() * 10 + (n ? 5 : 6);
    if (r == 16)
        reach_error();
    return 0;
}
