// gnomon: unknown
// A pointer just behind one variable may be equal to one to another (C 6.5.9).
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int a, b;
int main(void)
{
    if (&a + 1 == &b)
        reach_error();
    return 0;
}
