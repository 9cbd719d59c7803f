// gnomon: false
// The counter on the heap is not incremented in the round number thirty.
extern int __VERIFIER_nondet_int(void);
extern unsigned int __VERIFIER_nondet_uint(void);
extern void *malloc(unsigned long);
extern void __VERIFIER_error(void);

int main(void)
{
    unsigned *cell = malloc(sizeof *cell);
    if (!cell)
        return 0;
    *cell = 0;
    unsigned local = 0;
    while (__VERIFIER_nondet_int()) {
        local++;
        if (local % 30 != 0)
            (*cell)++;
    }
    if (*cell != local)
        __VERIFIER_error();
    return 0;
}
