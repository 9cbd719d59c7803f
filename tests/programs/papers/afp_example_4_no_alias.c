// gnomon: false
// Abstractions from Proofs, Example 4 without the assignment of the pointer: *x is still zero.
// inputs: 3
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int cell_x, cell_y;

int main(void)
{
    int *x = &cell_x;
    int *y = &cell_y;
    if (__VERIFIER_nondet_int() != 3)
        y = x;
    *x = 0;
    *y = *y + 1;
    if (*x == 0)
        reach_error();
    return 0;
}
