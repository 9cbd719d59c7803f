// gnomon: false
// The limit of a linked stack is checked after the push.
// inputs: 1 1 1 1 1 1 1 1 1 1 1 1 1 0
extern _Bool __VERIFIER_nondet_bool(void);
extern void *malloc(unsigned long);
extern void __VERIFIER_error(void);

struct cell {
    struct cell *below;
};

int main(void)
{
    struct cell *top = 0;
    int depth = 0, full = 0;
    while (__VERIFIER_nondet_bool()) {
        if (full)
            continue;
        struct cell *c = malloc(sizeof *c);
        if (!c)
            return 0;
        c->below = top;
        top = c;
        depth++;
        if (depth > 12)
            full = 1;
    }
    if (depth > 12)
        __VERIFIER_error();
    return 0;
}
