// gnomon: unknown
// Nothing promises that what malloc gives begins a page.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

extern void *malloc(unsigned long);
int main(void)
{
    char *p = malloc(100);
    if (p && ((uintptr)p & 4095) != 0)
        reach_error();
    return 0;
}
