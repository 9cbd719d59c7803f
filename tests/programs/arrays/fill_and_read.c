// gnomon: true
// Every element of an array that was filled in a loop of fixed size has its value.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[6];
    for (int i = 0; i < 6; i++)
        a[i] = 2 * i;
    int k = __VERIFIER_nondet_int();
    if (k >= 0 && k < 6 && a[k] != 2 * k)
        reach_error();
    return 0;
}
