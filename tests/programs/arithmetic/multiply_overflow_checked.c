// gnomon: true
// The product is checked by a division before it is used as a size.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned count = __VERIFIER_nondet_uint();
    unsigned size = 24;
    if (count > 0xffffffffu / size)
        return 0;
    unsigned total = count * size;
    if (total < count)
        reach_error();
    return 0;
}
