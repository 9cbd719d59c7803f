// gnomon: unknown
// Assembler without operands names a variable by its symbol.
extern void reach_error(void);

int g;
int main(void)
{
    __asm__("movl $1, g(%rip)");
    if (g)
        reach_error();
    return 0;
}
