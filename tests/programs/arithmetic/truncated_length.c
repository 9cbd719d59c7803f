// gnomon: false
// A length stored in sixteen bits loses its upper part and passes the check.
// inputs: 65536
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned length = __VERIFIER_nondet_uint();
    unsigned short stored = (unsigned short)length;
    if (stored <= 512) {
        if (length > 512)
            reach_error();
    }
    return 0;
}
