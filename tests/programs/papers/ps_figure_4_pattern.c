// gnomon: false
// Path Slicing, Figure 4's pattern: a failing library call makes the handle null, far from its first use.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct stream {
    int open;
};

static struct stream pool[4];
static int lines;

/* A library function that is not modelled: any result is possible. */
static int get_limit(int *limit)
{
    *limit = __VERIFIER_nondet_int();
    return __VERIFIER_nondet_int();
}

static struct stream *open_process(int slot)
{
    int limit;
    if (get_limit(&limit) != 0)
        return 0;
    pool[slot].open = 1;
    return &pool[slot];
}

static void format_path(int length)
{
    for (int i = 0; i < length && i < 200; i++)
        if (__VERIFIER_nondet_int() == '/')
            lines++;
}

static int get_line(struct stream *s)
{
    if (s == 0 || !s->open)
        reach_error();
    return __VERIFIER_nondet_int();
}

static void status_command(int slot)
{
    format_path(__VERIFIER_nondet_int());
    struct stream *s = open_process(slot);
    while (get_line(s) != 0)
        lines = 0;
    s->open = 0;
}

int main(void)
{
    int slot = __VERIFIER_nondet_int();
    if (slot < 0 || slot > 3)
        return 0;
    status_command(slot);
    return lines < 0;
}
