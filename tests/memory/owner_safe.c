// gnomon: true access,free
// One of two owners frees what both lead to.
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
#include <stdlib.h>

struct owner {
    int *shared;
    int owns;
};

static void end(struct owner *o)
{
    if (o->owns)
        free(o->shared);
    o->shared = 0;
}

int main(void)
{
    int which = __VERIFIER_nondet_int() & 1;
    struct owner a = {malloc(4), which}, b = {a.shared, !which};
    *b.shared = 7;
    end(&a);
    end(&b);
    return 0;
}
