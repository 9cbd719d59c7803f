// gnomon: true
// A pointer walks over an array and ends behind it.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    char text[10];
    char *p = text;
    while (p < text + 10)
        *p++ = 'x';
    return text[9] - 'x';
}
