// gnomon: true
// Records in an array linked by indices: following the links stays in the array.
extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

struct entry {
    int next;
    int data;
};

static struct entry pool[5];

int main(void)
{
    for (int i = 0; i < 5; i++) {
        pool[i].next = i + 1 < 5 ? i + 1 : 0;
        pool[i].data = i;
    }
    int at = 0;
    while (__VERIFIER_nondet_int()) {
        at = pool[at].next;
        if (!(at >= 0 && at < 5))
            __assert_fail("at >= 0 && at < 5", "pool.c", 1, "main");
    }
    return 0;
}
