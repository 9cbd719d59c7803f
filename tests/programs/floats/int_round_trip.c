// gnomon: true
// An int survives the way through a double.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    double d = n;
    if ((int)d != n)
        reach_error();
    return 0;
}
