// gnomon: true
// Unsigned numbers that wrap around keep their relation: y = 2*x modulo 2^32.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned x = 0, y = 0;
    while (__VERIFIER_nondet_int()) {
        x += 5;
        y += 10;
    }
    if (y != 2 * x)
        reach_error();
    return 0;
}
