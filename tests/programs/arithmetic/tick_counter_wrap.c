// gnomon: true
// The distance of two tick counts is right even when the counter wraps between them.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned start = __VERIFIER_nondet_uint();
    unsigned now = start;
    unsigned waited = 0;
    unsigned limit = __VERIFIER_nondet_uint();
    while (waited < limit) {
        now++;
        waited++;
    }
    if (now - start != waited)
        reach_error();
    return 0;
}
