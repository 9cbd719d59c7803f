// gnomon: false
// The author expects division to round down for negative numbers.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a = __VERIFIER_nondet_int();
    int q = a / 4;
    if (a > -1000 && a < 1000 && q * 4 > a)
        reach_error();
    return 0;
}
