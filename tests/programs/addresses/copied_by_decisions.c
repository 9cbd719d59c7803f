// gnomon: unknown
// An address is copied bit by bit by decisions; the copy leads to the object, and the error is reached.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

int main(void)
{
    int x = 1;
    uintptr n = (uintptr)&x, copy = 0;
    for (int i = 0; i < 64; i++)
        if (n >> i & 1)
            copy |= 1ul << i;
    *(int *)copy = 2;
    if (x != 2)
        reach_error();
    return 0;
}
