// gnomon: true
// A linked stack gives back the last two values in reverse order.
extern void *malloc(unsigned long);
extern void free(void *);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct cell {
    int data;
    struct cell *below;
};

static struct cell *top;

static int push(int data)
{
    struct cell *c = malloc(sizeof *c);
    if (!c)
        return 0;
    c->data = data;
    c->below = top;
    top = c;
    return 1;
}

static int pop(void)
{
    struct cell *c = top;
    int data = c->data;
    top = c->below;
    free(c);
    return data;
}

int main(void)
{
    int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int();
    if (!push(a) || !push(b))
        return 0;
    if (pop() != b)
        reach_error();
    if (pop() != a)
        reach_error();
    if (top)
        reach_error();
    return 0;
}
