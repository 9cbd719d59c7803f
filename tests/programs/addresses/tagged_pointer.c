// gnomon: true
// The lowest bit of an aligned pointer carries a mark and is taken off again.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

int main(void)
{
    int x = 1;
    int mark = __VERIFIER_nondet_int() & 1;
    uintptr n = (uintptr)&x | (uintptr)mark;
    int *p = (int *)(n & ~1ul);
    *p = 2;
    if (x != 2)
        reach_error();
    return 0;
}
