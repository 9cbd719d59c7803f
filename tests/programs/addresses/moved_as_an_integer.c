// gnomon: true
// Moving the number moves the pointer.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

int main(void)
{
    int a[4] = {0, 0, 0, 0};
    uintptr n = (uintptr)&a[0];
    n += 2 * sizeof(int);
    *(int *)n = 5;
    if (a[2] != 5 || a[1] != 0)
        reach_error();
    return 0;
}
