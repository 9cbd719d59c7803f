// gnomon: false
// A transposition of a small matrix record forgets one of the off-diagonal entries.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct matrix {
    int a, b, c, d;
};

static struct matrix transpose(struct matrix m)
{
    m.b = m.c;
    m.c = m.b;
    return m;
}

int main(void)
{
    struct matrix m = {__VERIFIER_nondet_int(), __VERIFIER_nondet_int(), __VERIFIER_nondet_int(),
                       __VERIFIER_nondet_int()};
    struct matrix t = transpose(transpose(m));
    if (t.b != m.b || t.c != m.c)
        reach_error();
    return 0;
}
