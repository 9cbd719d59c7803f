// gnomon: false
// A bit field of three bits cannot hold the count of eight events.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

struct status {
    unsigned count : 3;
    unsigned ready : 1;
};

int main(void)
{
    struct status s = {0, 0};
    int events = 0;
    while (__VERIFIER_nondet_int() && events < 12) {
        s.count++;
        events++;
    }
    if (events > 0 && s.count == 0)
        reach_error();
    return 0;
}
