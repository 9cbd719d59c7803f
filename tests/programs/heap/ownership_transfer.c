// gnomon: true
// A message is owned by exactly one of two boxes after any number of moves.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct box {
    int *message;
};

static void move(struct box *from, struct box *to)
{
    if (from->message) {
        to->message = from->message;
        from->message = 0;
    }
}

int main(void)
{
    struct box left = {0}, right = {0};
    int *m = malloc(sizeof *m);
    if (!m)
        return 0;
    *m = 1;
    left.message = m;
    while (__VERIFIER_nondet_int()) {
        if (__VERIFIER_nondet_int())
            move(&left, &right);
        else
            move(&right, &left);
    }
    if ((left.message == m) == (right.message == m))
        reach_error();
    return 0;
}
