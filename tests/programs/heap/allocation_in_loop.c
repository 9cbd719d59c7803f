// gnomon: true
// Every iteration allocates a fresh cell, so the one kept from before is not changed.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

int main(void)
{
    int *keep = malloc(sizeof *keep);
    if (!keep)
        return 0;
    *keep = 77;
    while (__VERIFIER_nondet_int()) {
        int *fresh = malloc(sizeof *fresh);
        if (!fresh)
            break;
        *fresh = 0;
        if (*keep != 77)
            reach_error();
    }
    return 0;
}
