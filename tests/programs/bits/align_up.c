// gnomon: true
// Rounding up to a multiple of sixteen gives a multiple that is not smaller.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned size = __VERIFIER_nondet_uint();
    if (size > 0xfffffff0u)
        return 0;
    unsigned aligned = (size + 15u) & ~15u;
    if (aligned % 16 != 0 || aligned < size || aligned - size > 15)
        reach_error();
    return 0;
}
