// gnomon: false
// The payload is replaced without the tag, and is then read as the wrong member.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct value {
    int is_pair;
    union {
        int number;
        struct {
            short low, high;
        } pair;
    } u;
};

int main(void)
{
    struct value v;
    v.is_pair = 1;
    v.u.pair.low = 1;
    v.u.pair.high = 2;
    int n = __VERIFIER_nondet_int();
    if (n > 70000)
        v.u.number = n;
    if (v.is_pair && v.u.pair.low > v.u.pair.high)
        reach_error();
    return 0;
}
