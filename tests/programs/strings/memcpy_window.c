// gnomon: true
// Copying a window with memcpy leaves the bytes around it unchanged.
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void *memcpy(void *, const void *, unsigned long);

int main(void)
{
    unsigned char source[4], target[8] = {0};
    for (int i = 0; i < 4; i++)
        source[i] = __VERIFIER_nondet_uchar();
    int at = __VERIFIER_nondet_int();
    if (at < 1 || at > 3)
        return 0;
    memcpy(target + at, source, 4);
    if (target[0] != 0 || target[7] != 0)
        reach_error();
    if (target[at] != source[0] || target[at + 3] != source[3])
        reach_error();
    return 0;
}
