// gnomon: true
// Two implementations of an interface struct keep the same invariant of their data.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct stream {
    int (*read)(struct stream *);
    void (*close)(struct stream *);
    int open;
    int position;
};

static int read_zero(struct stream *s)
{
    return s->open ? 0 : -1;
}

static int read_count(struct stream *s)
{
    if (!s->open)
        return -1;
    if (s->position < 1000000)
        s->position++;
    return s->position;
}

static void close_stream(struct stream *s)
{
    s->open = 0;
}

int main(void)
{
    struct stream s = {read_zero, close_stream, 1, 0};
    if (__VERIFIER_nondet_int())
        s.read = read_count;
    while (__VERIFIER_nondet_int()) {
        int v = s.read(&s);
        if (s.open && v < 0)
            reach_error();
        if (!s.open && v != -1)
            reach_error();
        if (__VERIFIER_nondet_int() == 3)
            s.close(&s);
    }
    return 0;
}
