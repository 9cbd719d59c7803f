// gnomon: false
// The same, and the write is an error.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

int main(void)
{
    int x = 1;
    uintptr n = (uintptr)&x;
    unsigned low = (unsigned)n, high = (unsigned)(n >> 32);
    int *p = (int *)((uintptr)high << 32 | low);
    *p = 2;
    if (x == 2)
        reach_error();
    return 0;
}
