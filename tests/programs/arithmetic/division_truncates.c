// gnomon: true
// Division truncates toward zero and fits its remainder.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a = __VERIFIER_nondet_int();
    int q = a / 10, r = a % 10;
    if (q * 10 + r != a)
        reach_error();
    if (a >= 0 && (r < 0 || r > 9))
        reach_error();
    if (a < 0 && r > 0)
        reach_error();
    return 0;
}
