// gnomon: false
// Rounding up wraps to zero for the largest sizes.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned size = __VERIFIER_nondet_uint();
    unsigned aligned = (size + 15u) & ~15u;
    if (aligned < size)
        reach_error();
    return 0;
}
