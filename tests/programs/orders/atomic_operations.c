// gnomon: unknown
// Which of two atomic operations among the arguments comes first is open.
extern void reach_error(void);

static int count;
static int pair(int a, int b) { return a * 10 + b; }
int main(void)
{
    if (pair(__sync_add_and_fetch(&count, 1), __sync_add_and_fetch(&count, 1)) == 21)
        reach_error();
    return 0;
}
