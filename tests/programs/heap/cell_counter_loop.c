// gnomon: true
// A counter on the heap follows a local counter for any number of rounds.
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
        (*cell)++;
        local++;
    }
    if (*cell != local)
        __VERIFIER_error();
    return 0;
}
