// gnomon: false
// A count of pages shifted in 32 bits loses its upper part before it is widened.
// inputs: 1048576
extern unsigned int __VERIFIER_nondet_uint(void);
extern void __VERIFIER_error(void);

int main(void)
{
    unsigned pages = __VERIFIER_nondet_uint();
    unsigned long bytes = pages << 12;
    if (bytes < pages)
        __VERIFIER_error();
    return 0;
}
