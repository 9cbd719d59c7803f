// gnomon: unknown
// With an operand in memory the assembler has an address.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

static int h;
int g;
int main(void)
{
    g = 0;
    __asm__ volatile("incl %0" : "+m"(h));
    if (g != 0)
        reach_error();
    return 0;
}
