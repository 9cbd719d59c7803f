// gnomon: true
// A message with its exclusive-or checksum appended has checksum zero.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int n = __VERIFIER_nondet_int();
    unsigned char sent = 0, received = 0;
    for (int i = 0; i < n; i++) {
        unsigned char byte = __VERIFIER_nondet_uchar();
        sent ^= byte;
        received ^= byte;
    }
    received ^= sent;
    if (received != 0)
        reach_error();
    return 0;
}
