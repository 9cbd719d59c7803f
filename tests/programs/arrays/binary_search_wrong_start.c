// gnomon: false
// The upper bound starts at the size of the array, so the middle can be behind the end.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 1 || n > 10)
        return 0;
    int low = 0, high = n;
    while (low <= high) {
        int middle = (low + high) / 2;
        if (middle >= n)
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
