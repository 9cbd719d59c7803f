// gnomon: false
// Three numbers go round in a ring, two of which may be the same: seen in the third round only.
// inputs: 5 5 7 1 1 1
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    unsigned a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int();
    if (b == c || a == c)
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
