// gnomon: true
// An empty template does nothing, whatever it says that it changes.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int g;
int main(void)
{
    g = 0;
    __asm__ volatile("" : : : "memory");
    if (g != 0)
        reach_error();
    return 0;
}
