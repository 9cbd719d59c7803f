// gnomon: true
// Neighbouring bit fields do not disturb one another.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

struct header {
    unsigned version : 4;
    unsigned length : 4;
    unsigned flags : 8;
    unsigned id : 16;
};

int main(void)
{
    struct header h = {4, 5, 0, 0};
    unsigned flags = __VERIFIER_nondet_uint();
    unsigned id = __VERIFIER_nondet_uint();
    h.flags = flags;
    h.id = id;
    if (h.version != 4 || h.length != 5)
        reach_error();
    if (h.flags != (flags & 0xff))
        reach_error();
    h.version = 15;
    if (h.id != (id & 0xffff))
        reach_error();
    return 0;
}
