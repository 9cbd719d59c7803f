// gnomon: true
// A sum that wraps is brought back by the subtraction, as signed overflow wraps here.
// undefined: signed overflow
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int x = __VERIFIER_nondet_int();
    int y = __VERIFIER_nondet_int();
    int s = x + y;
    if (s - y != x)
        reach_error();
    return 0;
}
