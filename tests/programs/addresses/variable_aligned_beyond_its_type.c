// gnomon: unknown
// The address of an int need not be a multiple of sixteen.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

int x;
int main(void)
{
    if (((uintptr)&x & 15) != 0)
        reach_error();
    return 0;
}
