// gnomon: false
// A retry counts a failure without a new attempt.
// inputs: -1 -1 -1 -1 -1 -1 -1 -1 -1
extern int __VERIFIER_nondet_int(void);
extern void abort(void);
extern void reach_error(void);
static void __VERIFIER_assert(int cond)
{
    if (!cond) {
    ERROR:
        reach_error();
        abort();
    }
}

struct statistics {
    unsigned attempts;
    unsigned failures;
};

static void run(struct statistics *s)
{
    s->attempts++;
    int tries = 0;
    while (tries < 3 && __VERIFIER_nondet_int() < 0) {
        s->failures++;
        tries++;
    }
}

int main(void)
{
    struct statistics s = {0, 0};
    for (int i = 0; i < 3; i++)
        run(&s);
    __VERIFIER_assert(s.failures <= s.attempts + 5);
    return 0;
}
