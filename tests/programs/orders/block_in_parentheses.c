// gnomon: unknown
// A block in an operand writes what the other one reads.
extern void reach_error(void);

static int n;
int main(void)
{
    int r = n + ({ n = 5; n; });
    if (r == 10)
        reach_error();
    return 0;
}
