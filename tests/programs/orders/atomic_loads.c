// gnomon: true
// Two loads have no effect on one another, in whatever order they are done.
extern void reach_error(void);

static int n = 3, m = 4;
static int sum(int a, int b) { return a + b; }
int main(void)
{
    if (sum(__atomic_load_n(&n, 5), __atomic_load_n(&m, 5)) != 7)
        reach_error();
    return 0;
}
