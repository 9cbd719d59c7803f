// gnomon: false
// The parser believes the length that stands in the packet.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

static int parse(const unsigned char *data, int length)
{
    if (length < 2 || length > 16)
        return -1;
    int payload = data[1];
    int sum = 0;
    for (int i = 0; i < payload; i++)
        sum += data[2 + i];
    return sum;
}

int main(void)
{
    unsigned char packet[16];
    for (int i = 0; i < 16; i++)
        packet[i] = __VERIFIER_nondet_uchar();
    int length = __VERIFIER_nondet_int();
    if (parse(packet, length) < -1)
        reach_error();
    return 0;
}
