// gnomon: false
// A function that masks the interrupts returns early without unmasking them.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int depth;

static void mask(void) { depth++; }
static void unmask(void) { depth--; }

static int read_register(int index)
{
    mask();
    if (index < 0)
        return -1;
    int value = __VERIFIER_nondet_int() & 0xff;
    unmask();
    return value;
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) {
        int r = read_register(__VERIFIER_nondet_int());
        if (r >= 0)
            sum += r;
        if (depth != 0)
            reach_error();
    }
    return sum > 765;
}
