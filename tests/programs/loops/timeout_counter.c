// gnomon: true
// A wait loop gives up after its limit, and the error code tells so.
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int limit = __VERIFIER_nondet_int();
    if (limit < 1)
        return 0;
    int waited = 0, ready = 0, code;
    while (!ready && waited < limit) {
        ready = __VERIFIER_nondet_int() != 0;
        waited++;
    }
    code = ready ? 0 : -110;
    if (code != 0 && waited != limit)
        reach_error();
    if (waited > limit)
        reach_error();
    return 0;
}
