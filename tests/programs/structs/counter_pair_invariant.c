// gnomon: true
// Two counters in one record: the failures never exceed the attempts.
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

static void record(struct statistics *s, int failed)
{
    if (s->attempts == 1000000)
        return;
    s->attempts++;
    if (failed)
        s->failures++;
}

int main(void)
{
    struct statistics s = {0, 0};
    while (__VERIFIER_nondet_int())
        record(&s, __VERIFIER_nondet_int() < 0);
    __VERIFIER_assert(s.failures <= s.attempts);
    return 0;
}
