// gnomon: true
// A local variable whose address nobody takes is private.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int own = 4;
    __asm__ volatile("nop" : : : "memory");
    if (own != 4)
        reach_error();
    return 0;
}
