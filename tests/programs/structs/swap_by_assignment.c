// gnomon: true
// Swapping two records by assignment of whole structs swaps every member.
extern int __VERIFIER_nondet_int(void);
extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((noreturn));

struct record {
    int key;
    char tag[3];
    struct record *self;
};

int main(void)
{
    struct record a = {__VERIFIER_nondet_int(), "ab", 0};
    struct record b = {__VERIFIER_nondet_int(), "xy", 0};
    a.self = &a;
    b.self = &b;
    int ka = a.key, kb = b.key;
    struct record t = a;
    a = b;
    b = t;
    if (a.key != kb || b.key != ka)
        __assert_fail("keys", "swap.c", 1, "main");
    if (a.tag[0] != 'x' || b.tag[1] != 'b')
        __assert_fail("tags", "swap.c", 2, "main");
    if (a.self != &b || b.self != &a)
        __assert_fail("pointers are copied as they are", "swap.c", 3, "main");
    return 0;
}
