// gnomon: true
// The count of pages is widened before it is shifted.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_error(void);

int main(void)
{
    unsigned pages = __VERIFIER_nondet_uint();
    unsigned long bytes = (unsigned long)pages << 12;
    if (bytes < pages || bytes % 4096 != 0)
        __VERIFIER_error();
    return 0;
}
