// gnomon: true
// All elements of an array of unknown length are zero after it was cleared.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int data[100000];

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000)
        return 0;
    for (int i = 0; i < n; i++)
        data[i] = 7;
    for (int i = 0; i < n; i++)
        data[i] = 0;
    for (int i = 0; i < n; i++)
        if (data[i] != 0)
            reach_error();
    return 0;
}
