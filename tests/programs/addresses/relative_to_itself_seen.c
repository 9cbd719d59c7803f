// gnomon: false
// What is written through such a pointer is seen.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

long kept;
int x = 3;
int main(void)
{
    kept = (long)((uintptr)&x - (uintptr)&kept);
    int *p = (int *)((uintptr)&kept + kept);
    *p = 4;
    if (x == 4)
        reach_error();
    return 0;
}
