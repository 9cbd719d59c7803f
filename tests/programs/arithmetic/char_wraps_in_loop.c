// gnomon: false
// An unsigned character as loop counter wraps before it reaches the limit of three hundred.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern void reach_error(void);

int main(void)
{
    unsigned char i = __VERIFIER_nondet_uchar();
    int rounds = 0;
    while (rounds < 300) {
        unsigned char before = i;
        i++;
        rounds++;
        if (i < before)
            reach_error();
    }
    return 0;
}
