// gnomon: false
// Each round allocates its record at the same place, and the record before is still in use.
extern void *malloc(unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);

struct session {
    int state;
    struct session *before;
};

int main(void)
{
    struct session *last = 0;
    for (int round = 0; round < 3; round++) {
        struct session *s = malloc(sizeof *s);
        s->state = round;
        s->before = last;
        last = s;
    }
    if (__VERIFIER_nondet_int() > 0)
        last->before->state = 7;
    if (last->state == 2 && last->before->state == 7)
        reach_error();
    return 0;
}
