// gnomon: false
// A large int does not survive the way through a float.
// inputs: 16777217
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100000000)
        return 0;
    float f = (float)n;
    if ((int)f != n)
        reach_error();
    return 0;
}
