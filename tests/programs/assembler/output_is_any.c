// gnomon: unknown
// What the assembler stores in its output is not known.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = 5, y;
    __asm__ volatile("movl %1, %0" : "=r"(y) : "r"(x));
    if (y != 5)
        reach_error();
    return 0;
}
