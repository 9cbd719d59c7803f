// gnomon: true
// The bytes of an unsigned number, read through a character pointer, give it back.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned value = __VERIFIER_nondet_uint();
    unsigned char *bytes = (unsigned char *)&value;
    unsigned again = bytes[0];
    again |= (unsigned)bytes[1] << 8;
    again |= (unsigned)bytes[2] << 16;
    again |= (unsigned)bytes[3] << 24;
    if (again != value)
        reach_error();
    bytes[0] = 0;
    if (value & 0xffu)
        reach_error();
    return 0;
}
