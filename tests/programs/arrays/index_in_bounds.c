// gnomon: true
// The index that walks an array of unknown length stays within it.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int data[1000];

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 1000)
        return 0;
    for (int i = 0; i < n; i++) {
        if (i < 0 || i >= 1000)
            reach_error();
        data[i] = n - i;
    }
    return 0;
}
