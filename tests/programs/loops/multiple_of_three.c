// gnomon: true
// A variable that grows by three from zero is never two modulo three.
extern unsigned int __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = 0;
    while (__VERIFIER_nondet_int()) {
        if (x >= 3000)
            x = 0;
        else
            x += 3;
    }
    if (x % 3 == 2)
        reach_error();
    return 0;
}
