// gnomon: true
// Moving units from one pile to another and back keeps the total.
extern unsigned int __VERIFIER_nondet_uint(void);
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();
    unsigned total = a + b;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int() && a > 0) {
            a--;
            b++;
        } else if (b > 0) {
            b--;
            a++;
        }
    }
    if (a + b != total)
        reach_error();
    return 0;
}
