// gnomon: true
// What malloc gives is aligned for every type (C 7.22.3), which is 16 bytes on this machine.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

typedef unsigned long uintptr;

extern void *malloc(unsigned long);
int main(void)
{
    char *p = malloc(100);
    if (p && ((uintptr)p & 15) != 0)
        reach_error();
    return 0;
}
