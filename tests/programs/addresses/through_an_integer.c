// gnomon: true
// A pointer that went through an integer leads to its object again.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

int main(void)
{
    int x = __VERIFIER_nondet_int();
    uintptr n = (uintptr)&x;
    *(int *)n = 7;
    if (x != 7)
        reach_error();
    return 0;
}
