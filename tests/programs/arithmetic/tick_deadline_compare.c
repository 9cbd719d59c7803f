// gnomon: false
// Comparing tick counts directly fails when the deadline wraps.
extern unsigned int __VERIFIER_nondet_uint(void);
extern void reach_error(void);

int main(void)
{
    unsigned now = __VERIFIER_nondet_uint();
    unsigned deadline = now + 1000;
    int expired = now > deadline;
    if (expired)
        reach_error();
    return 0;
}
