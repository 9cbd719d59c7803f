// gnomon: true
// The bounds of a binary search never cross the array, for any outcome of the comparisons.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 1000000)
        return 0;
    int low = 0, high = n - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (middle < 0 || middle >= n)
            reach_error();
        int c = __VERIFIER_nondet_int();
        if (c == 0)
            break;
        if (c < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    return 0;
}
