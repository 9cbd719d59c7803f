// gnomon: true
// Lazy Abstraction, Figure 9: refinement that keeps the subtree loops for ever; with x = 0 from the pivot on it ends.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = 0;
    while (__VERIFIER_nondet_int()) {
        if (x != 0)
            reach_error();
    }
    return 0;
}
