// gnomon: true
// By the default, an unknown function does not write a variable that it was not given.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

extern void tick(void);
static int g;
int main(void)
{
    g = 1;
    tick();
    if (g != 1)
        reach_error();
    return 0;
}
