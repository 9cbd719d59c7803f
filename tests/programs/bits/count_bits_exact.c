// gnomon: false
// The bit count of a byte can be seven, though the comment says at most six.
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void)
{
    unsigned char x = __VERIFIER_nondet_uchar();
    int count = 0;
    for (int i = 0; i < 8; i++)
        count += x >> i & 1;
    /* At most six lines are wired. */
    if (count == 7)
        reach_error();
    return 0;
}
