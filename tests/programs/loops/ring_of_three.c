// gnomon: true
// Three different numbers go round in a ring; that two neighbours differ follows from three rounds ago.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    if (a == b || b == c || a == c)
        return 0;
    while (__VERIFIER_nondet_int()) {
        unsigned first = a;
        a = b;
        b = c;
        c = first;
        if (a == b)
            reach_error();
    }
    return 0;
}
