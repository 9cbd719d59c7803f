// gnomon: false
// A nested variant is read with the tag of its sibling.
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);

struct shape {
    int kind;
    union {
        struct {
            int width, height;
        } box;
        struct {
            int radius;
        } circle;
    } u;
};

static int extent(const struct shape *s, int kind)
{
    return kind == 0 ? s->u.box.height : s->u.circle.radius;
}

int main(void)
{
    struct shape a = {0, {.box = {3, 9}}};
    struct shape b = {1, {.circle = {5}}};
    struct shape *p = __VERIFIER_nondet_int() > 0 ? &a : &b;
    int e = extent(p, b.kind);
    if (p == &a && e != 9)
        __VERIFIER_error();
    return 0;
}
