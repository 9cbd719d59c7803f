// gnomon: true
// A tagged union is read only as the member that its tag names.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct value {
    enum { NUMBER, LETTER } tag;
    union {
        int number;
        char letter;
    } u;
};

static int weight(const struct value *v)
{
    switch (v->tag) {
    case NUMBER:
        return v->u.number;
    case LETTER:
        return v->u.letter - 'a';
    }
    return -1;
}

int main(void)
{
    struct value v;
    if (__VERIFIER_nondet_int()) {
        v.tag = NUMBER;
        v.u.number = 3;
    } else {
        v.tag = LETTER;
        v.u.letter = 'd';
    }
    if (weight(&v) != 3)
        reach_error();
    return 0;
}
