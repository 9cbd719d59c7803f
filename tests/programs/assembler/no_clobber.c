// gnomon: true
// Assembler that knows no memory changes none.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int g;
int main(void)
{
    int x = 5, y;
    g = 0;
    __asm__ volatile("movl %1, %0" : "=r"(y) : "r"(x));
    if (g != 0 || x != 5)
        reach_error();
    return 0;
}
