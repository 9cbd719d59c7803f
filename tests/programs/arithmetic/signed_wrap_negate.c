// gnomon: false
// Negating the smallest int gives itself, as signed overflow wraps here.
// inputs: -2147483648
// undefined: signed overflow
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int a = x < 0 ? -x : x;
    if (a < 0)
        reach_error();
    return 0;
}
