// gnomon: false
// A status flag that overlaps the counter is cleared by counting.
// slow: not decided by 20 million units of work
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

union port {
    unsigned int counter;
    struct {
        unsigned char low;
        unsigned char error;
    } bits;
};

int main(void)
{
    union port p;
    p.counter = 0;
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 300)
        return 0;
    for (int i = 0; i < n; i++)
        p.counter++;
    if (p.bits.error)
        reach_error();
    return 0;
}
