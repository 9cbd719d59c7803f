// gnomon: unknown
// Assembler that may jump may go to its label.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = 0;
    __asm__ goto("jmp %l0" : : : : out);
    x = 1;
out:
    if (x != 1)
        reach_error();
    return 0;
}
