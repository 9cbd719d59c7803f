// gnomon: true
// A pointer is copied byte by byte.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = 1;
    int *p = &x, *q = 0;
    for (unsigned i = 0; i < sizeof p; i++)
        ((unsigned char *)&q)[i] = ((unsigned char *)&p)[i];
    *q = 9;
    if (x != 9)
        reach_error();
    return 0;
}
