// gnomon: unknown
// Which of two functions lies first is for the linker to say.
extern void reach_error(void);

static int f(void) { return 1; }
static int g(void) { return 2; }
int main(void)
{
    unsigned long first = (unsigned long)f, second = (unsigned long)g;
    if (first > second)
        reach_error();
    return 0;
}
