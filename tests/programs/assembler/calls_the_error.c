// gnomon: unknown
// Assembler that calls a function does what nobody looks at.
extern void reach_error(void);

int main(void)
{
    __asm__ volatile("call reach_error" : : : "memory", "rax");
    return 0;
}
