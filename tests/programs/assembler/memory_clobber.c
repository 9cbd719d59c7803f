// gnomon: unknown
// With a memory clobber the assembler may change the variable.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int g;
int main(void)
{
    g = 0;
    __asm__ volatile("nop" : : : "memory");
    if (g != 0)
        reach_error();
    return 0;
}
