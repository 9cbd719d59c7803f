// gnomon: false access,free
// Two owners free what both lead to, for one input.
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
    int which = __VERIFIER_nondet_int() & 3;
    struct owner a = {malloc(4), which != 2}, b = {a.shared, which > 2};
    *b.shared = 7;
    end(&a);
    end(&b);
    return 0;
}
