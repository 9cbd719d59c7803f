// gnomon: false
// What is written through a pointer that went through an integer is seen.
// inputs: 12
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

int main(void)
{
    int x = 0;
    uintptr n = (uintptr)&x;
    *(int *)n = __VERIFIER_nondet_int();
    if (x == 12)
        reach_error();
    return 0;
}
