// gnomon: true
// Interrupts are masked by nested sections; the depth tells whether they are on.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int depth, enabled = 1;

static void mask(void)
{
    if (depth == 0)
        enabled = 0;
    depth++;
}

static void unmask(void)
{
    depth--;
    if (depth == 0)
        enabled = 1;
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int() && depth < 1000)
            mask();
        else if (depth > 0)
            unmask();
        if (enabled != (depth == 0))
            reach_error();
    }
    return 0;
}
