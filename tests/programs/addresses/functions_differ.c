// gnomon: true
// Two functions have two addresses.
extern void reach_error(void);

static void f(void) {}
static void g(void) {}
int main(void)
{
    void (*p)(void) = f;
    if (p == g || (unsigned long)p == (unsigned long)g)
        reach_error();
    return 0;
}
