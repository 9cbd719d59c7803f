// gnomon: true
// No object lies at the numbers that stand for errors.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

int x;
int main(void)
{
    int *p = __VERIFIER_nondet_int() ? &x : (int *)-5l;
    if ((uintptr)p >= (uintptr)-4095l)
        return 0;
    *p = 1;
    if (x != 1)
        reach_error();
    return 0;
}
