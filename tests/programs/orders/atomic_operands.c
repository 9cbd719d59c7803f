// gnomon: unknown
// Which of the two increments comes first is open.
extern void reach_error(void);

static int n;
static int first(int a, int b) { return a; }
int main(void)
{
    if (first(__sync_add_and_fetch(&n, 1), __sync_add_and_fetch(&n, 1)) != 1)
        reach_error();
    return 0;
}
