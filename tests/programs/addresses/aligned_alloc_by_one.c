// gnomon: unknown
// What aligned_alloc(1, n) gives need not be aligned to 64 bytes, though it often is.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

extern void *aligned_alloc(unsigned long, unsigned long);
int main(void)
{
    char *p = aligned_alloc(1, 100);
    if (p && ((uintptr)p & 63) != 0)
        reach_error();
    return 0;
}
