// gnomon: true
// The address of an int is a multiple of four.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

int x;
int main(void)
{
    if (((uintptr)&x & 3) != 0)
        reach_error();
    return 0;
}
