// gnomon: true
// What the pointer does not lead to, and nobody else knows, is private.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = 0, own = 2;
    int *p = &x;
    __asm__ volatile("movl $1, (%0)" : : "r"(p));
    if (own != 2)
        reach_error();
    return 0;
}
