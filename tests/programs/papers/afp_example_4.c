// gnomon: true
// Abstractions from Proofs, Example 4: after y := x the increment of *y is seen in *x.
extern void reach_error(void);

static int cell_x, cell_y;

int main(void)
{
    int *x = &cell_x;
    int *y = &cell_y;
    if (x != y) {
        *x = 0;
        y = x;
        if (y == x) {
            *y = *y + 1;
            if (*x == 0)
                reach_error();
        }
    }
    return 0;
}
