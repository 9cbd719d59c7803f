// gnomon: false
// The inner loop of a triangular nest goes one too far and reaches the size itself.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n > 50)
        return 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j <= i + 1; j++)
            if (j >= n)
                reach_error();
    return 0;
}
