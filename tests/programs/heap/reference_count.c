// gnomon: true
// A reference count guards the release: the object is released exactly when the count drops to zero.
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct object {
    int references;
};

static int released;

static void get(struct object *o)
{
    o->references++;
}

static void put(struct object *o)
{
    o->references--;
    if (o->references == 0)
        released = 1;
}

int main(void)
{
    struct object *o = malloc(sizeof *o);
    if (!o)
        return 0;
    o->references = 1;
    int extra = 0;
    while (extra < 100000 && __VERIFIER_nondet_int()) {
        get(o);
        extra++;
    }
    while (extra > 0) {
        put(o);
        extra--;
        if (released)
            reach_error();
    }
    put(o);
    if (!released)
        reach_error();
    free(o);
    return 0;
}
