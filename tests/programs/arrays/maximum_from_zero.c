// gnomon: false
// The maximum starts from zero and is wrong when all elements are negative.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int a[3], max = 0, found = 0;
    for (int i = 0; i < 3; i++) {
        a[i] = __VERIFIER_nondet_int();
        if (a[i] > max)
            max = a[i];
    }
    for (int i = 0; i < 3; i++)
        if (a[i] == max)
            found = 1;
    if (!found)
        reach_error();
    return 0;
}
