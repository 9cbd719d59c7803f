// gnomon: false
// The program takes the machine for a big-endian one.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned value = __VERIFIER_nondet_uint();
    unsigned char *bytes = (unsigned char *)&value;
    if (value < 256 && bytes[3] != value)
        reach_error();
    return 0;
}
