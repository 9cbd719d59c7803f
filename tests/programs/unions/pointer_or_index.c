// gnomon: true
// A union holds a pointer or an index; the flag that tells which is kept right in a loop.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct reference {
    int direct;
    union {
        int *pointer;
        long index;
    } u;
};

static int table[4] = {10, 11, 12, 13};

static int *resolve(struct reference *r)
{
    return r->direct ? r->u.pointer : &table[r->u.index];
}

int main(void)
{
    struct reference r;
    r.direct = 1;
    r.u.pointer = table;
    while (__VERIFIER_nondet_int()) {
        int i = __VERIFIER_nondet_int();
        if (i < 0 || i > 3)
            continue;
        if (__VERIFIER_nondet_int()) {
            r.direct = 1;
            r.u.pointer = &table[i];
        } else {
            r.direct = 0;
            r.u.index = i;
        }
        if (resolve(&r) != &table[i])
            reach_error();
    }
    return 0;
}
