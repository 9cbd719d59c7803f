// gnomon: false
// The pointer is used where it ends, behind the array.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    char text[10];
    char *p = text;
    while (p < text + 10)
        *p++ = 'x';
    *p = 0;
    return text[9] - 'x';
}
