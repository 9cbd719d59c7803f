// gnomon: false
// The resource becomes ready in the very last round, and the code reports a timeout all the same.
// inputs: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);

int main(void)
{
    int limit = 25;
    int waited = 0, ready = 0, code;
    while (!ready && waited < limit) {
        ready = __VERIFIER_nondet_int() == 1;
        waited++;
    }
    code = waited == limit ? -110 : 0;
    if (code == -110 && ready)
        reach_error();
    return 0;
}
