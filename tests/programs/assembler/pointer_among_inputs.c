// gnomon: unknown
// The assembler writes behind a pointer that it is given.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = 0;
    int *p = &x;
    __asm__ volatile("movl $1, (%0)" : : "r"(p));
    if (x != 0)
        reach_error();
    return 0;
}
