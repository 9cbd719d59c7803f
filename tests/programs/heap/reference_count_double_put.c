// gnomon: false
// An error path drops the reference twice.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct object {
    int references;
};

static void put(struct object *o)
{
    if (o->references <= 0)
        reach_error();
    o->references--;
}

int main(void)
{
    struct object *o = malloc(sizeof *o);
    if (!o)
        return 0;
    o->references = 1;
    int n = __VERIFIER_nondet_int();
    for (int i = 0; i < n && i < 5; i++) {
        o->references++;
        if (__VERIFIER_nondet_int() == -1)
            put(o);
        put(o);
    }
    put(o);
    return 0;
}
