// gnomon: true
// A function keeps its position in a static pointer and wraps it at the end.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int ring[4];

static int *next_slot(void)
{
    static int *current = ring;
    int *result = current;
    current++;
    if (current == ring + 4)
        current = ring;
    return result;
}

int main(void)
{
    while (__VERIFIER_nondet_int()) {
        int *slot = next_slot();
        if (slot < ring || slot > ring + 3)
            reach_error();
        *slot = 1;
    }
    return 0;
}
