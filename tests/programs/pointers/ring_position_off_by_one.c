// gnomon: false
// The static position wraps one element too late and leaves the ring.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int ring[5];

static int *next_slot(void)
{
    static int *current = ring;
    int *result = current;
    if (current == ring + 4)
        current = ring;
    else
        current++;
    return result;
}

int main(void)
{
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++) {
        int *slot = next_slot();
        /* Only the first four elements belong to the ring. */
        if (slot - ring >= 4)
            reach_error();
        *slot = i;
    }
    return 0;
}
