// gnomon: unknown
// Which of two functions lies first in memory is open.
extern void reach_error(void);

static void f(void) {}
static void g(void) {}
int main(void)
{
    if ((unsigned long)f > (unsigned long)g)
        reach_error();
    return 0;
}
