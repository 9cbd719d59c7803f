// gnomon: true
// In a triangular nest the inner index never exceeds the outer one.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            if (j > i || j >= n)
                reach_error();
        }
    return 0;
}
