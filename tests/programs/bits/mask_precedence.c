// gnomon: false
// The comparison binds tighter than the mask, so the test is wrong.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

#define READY 4

int main(void)
{
    unsigned status = __VERIFIER_nondet_uint();
    /* Meant: (status & READY) == READY. */
    int ready = status & (READY == READY);
    if (ready && !(status & READY))
        reach_error();
    return 0;
}
