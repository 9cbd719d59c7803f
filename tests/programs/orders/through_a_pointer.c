// gnomon: unknown
// Who is called through a pointer writes a variable that the other operand reads.
extern void reach_error(void);

static int n;
static int set(void) { return n = 1; }
static int (*call)(void) = set;
int main(void)
{
    int r = n + call();
    if (r == 2)
        reach_error();
    return 0;
}
