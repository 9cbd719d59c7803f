// gnomon: true
// Abstractions from Proofs, Example 5: a callee increments the cell that its caller's pointer names.
extern void reach_error(void);

static void inc(int *x)
{
    *x = *x + 1;
}

int main(void)
{
    int cell;
    int *y = &cell;
    *y = 0;
    inc(y);
    if (*y != 1)
        reach_error();
    return 0;
}
